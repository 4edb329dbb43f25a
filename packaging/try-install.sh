#!/usr/bin/env bash
#
# try-install.sh FILE.deb [TREE]: installs the package in a clean Debian, runs both services as their units say, uses the
# program, upgrades from a package of the release before while the services run, removes and purges the package. TREE
# is a tree of debootstrap that stays unchanged; without it, a tree of Debian 12 is made with the mirror that apt uses
# here. Needs root, debootstrap, and network.

set -euo pipefail

package=$(realpath "$1")
base=${2:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/try-install-XXXXXX")
tree=$work/tree
services=()

clean_up() {
  ((${#services[@]} == 0)) || kill "${services[@]}" 2>/dev/null || true
  wait
  umount "$tree/proc" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

step() { echo "== $*"; }
fail() {
  echo "FAILED: $*"
  exit 1
}
chroot=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$tree")
inside() { "${chroot[@]}" "$@"; }
apt() { inside apt-get -q -o Dpkg::Use-Pty=0 "$@" </dev/null; }

# Runs a command as a user of the tree, with all groups of this user.
as() {
  local user=$1
  shift
  inside setpriv --reuid "$user" --regid "$(inside id -g "$user")" --init-groups \
    "$@"
}

make_tree() {
  if [[ -n $base ]]; then
    cp -a "$base" "$tree"
  else
    local mirror
    mirror=$(grep -rhoE --include='*.list' --include='*.sources' 'https?://[^ ]+/debian/?( |$)' /etc/apt | head -n 1)
    debootstrap --variant=minbase bookworm "$tree" "${mirror% }" >"$work/debootstrap" ||
      { tail -n 5 "$work/debootstrap"; fail 'debootstrap'; }
  fi
  mount -t proc proc "$tree/proc"
  apt update
  apt install -y --no-install-recommends man-db
}

# Starts a service with the command, user and umask of its unit. The other arguments are variables.
start() {
  local unit=$tree/usr/lib/systemd/system/$1.service
  local user group command umask
  user=$(sed -n 's/^User=//p' "$unit")
  group=$(sed -n 's/^Group=//p' "$unit")
  umask=$(sed -n 's/^UMask=//p' "$unit")
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  # Not by the function: the process id must be that of the service.
  "${chroot[@]}" setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --bounding-set=-all \
    env RINEX_CATALOGUE_PORT=0 "${@:2}" sh -c "umask $umask; exec $command" >"$work/$1.log" 2>&1 &
  services+=($!)
}

stop_services() {
  local service
  kill "${services[@]}"
  for service in "${services[@]}"; do
    wait "$service" || fail "a service ended with $?: $(tail -n 5 "$work"/*.log)"
  done
  services=()
}

# The URL of the list.
url() { grep -o '"url":"[^"]*"' "$work/rinex-catalogue-api.log" | tail -n 1 | cut -d '"' -f 4; }

# The list without the port, which changes at each start.
list() { curl -sf "$(url)?limit=100" | sed -E 's,http://127.0.0.1:[0-9]+,,g'; }

# The same package with a lower version: the upgrade replaces every file.
make_earlier_package() {
  local files=$work/earlier
  dpkg-deb --raw-extract "$package" "$files"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$files/DEBIAN/control"
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$files" "$tree/srv/earlier.deb" >/dev/null
  rm -r "$files"
}

# Waits until the log of a service contains a text.
await() {
  local tries
  for ((tries = 0; tries < 300; tries++)); do
    if grep -q "$2" "$work/$1.log"; then return; fi
    sleep 0.2
  done
  cat "$work/$1.log"
  fail "the log of $1 has no $2"
}

step 'a clean Debian'
make_tree

step 'install'
cp "$package" "$tree/srv/package.deb"
make_earlier_package
apt install -y --no-install-recommends /srv/earlier.deb
inside getent passwd rinexcat-indexer rinexcat-api rinexcat-backup
inside rinex-catalogue --version

step 'manual pages'
for page in '1 rinex-catalogue' '5 rinex-catalogue.toml'; do
  # shellcheck disable=SC2086
  inside env MANWIDTH=100 man $page | sed -n 1,6p | grep -i "rinex-catalogue" || fail "man $page"
done

step 'services'
mkdir -p "$tree/srv"
cp -r "$(dirname "$0")/../fixtures/archive" "$tree/srv/gnss"
as rinexcat-indexer rinex-catalogue check-config index | grep -E '^(archive|database|control_socket)'
as rinexcat-api rinex-catalogue check-config serve | grep -E '^# (archive|database|control_socket)'
# The directories of StateDirectory= and RuntimeDirectory=.
inside install -d -o rinexcat-indexer -g rinexcat -m 2750 /var/lib/rinex-catalogue
inside install -d -o rinexcat-indexer -g rinexcat -m 0750 /run/rinex-catalogue
as rinexcat-indexer rinex-catalogue check-config index
as rinexcat-api rinex-catalogue check-config serve
start rinex-catalogue-indexer
await rinex-catalogue-indexer 'caught up with the archive'
start rinex-catalogue-api
await rinex-catalogue-api '"listening"'
curl -sf "$(url)?limit=1" | tee "$work/list"
echo
grep -q '"count":72' "$work/list" || fail 'the list has another count'
curl -sfo /dev/null -w '%{http_code} %{size_download} bytes\n' \
  "$(grep -o '"download_path":"[^"]*"' "$work/list" | cut -d '"' -f 4)"

step 'an administrator of the group needs no sudo'
inside useradd --groups rinexcat admin
inside useradd visitor
inside stat -c '%A %U:%G %n' /var/lib/rinex-catalogue/catalogue.db /run/rinex-catalogue/control.sock
as admin rinex-catalogue status
as admin rinex-catalogue rescan --wait
if as visitor rinex-catalogue status; then fail 'a visitor reads the status'; fi

step 'upgrade while the services run'
echo 'max_limit = 500' >>"$tree/etc/rinex-catalogue/config.toml"
list >"$work/before"
apt install -y /srv/package.deb
tail -n 1 "$tree/etc/rinex-catalogue/config.toml" | grep -x 'max_limit = 500'
# Without systemd, the earlier processes continue to run; the new commands must work with them.
list | diff - "$work/before" >/dev/null || fail 'the running API answers differently'
curl -sfo /dev/null -H 'accept: text/html' "$(url)" || fail 'no page from the running API'
as admin rinex-catalogue status
as admin rinex-catalogue rescan --full --wait

step 'stop'
stop_services

step 'remove: the database and the configuration stay'
apt remove -y rinex-catalogue
test ! -e "$tree/usr/lib/rinex-catalogue"
test -e "$tree/var/lib/rinex-catalogue/catalogue.db"
test -e "$tree/etc/rinex-catalogue/config.toml"

step 'purge: nothing stays'
apt purge -y rinex-catalogue
left=$(find "$tree" -xdev -iname '*rinex*' -not -path "$tree/srv/*")
left+=$(grep rinexcat "$tree/etc/passwd" "$tree/etc/group" || true)
[[ -z $left ]] || fail "left: $left"

step 'passed'
