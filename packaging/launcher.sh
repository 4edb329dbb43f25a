#!/bin/sh
# Starts rinex-catalogue. Without --config and RINEX_CATALOGUE_CONFIG it reads the configuration of the services.
config=/etc/rinex-catalogue/config.toml
if [ -z "${RINEX_CATALOGUE_CONFIG+set}" ] && [ -e "$config" ]; then
  # A --config on the command line wins over the variable.
  export RINEX_CATALOGUE_CONFIG="$config"
fi
exec @NODE@ --disable-sigusr1 /usr/lib/rinex-catalogue/dist/cli.js "$@"
