/**
 * `npm run package -- [--output DIR]`: builds the Debian package, with the Node that runs this. The
 * same commit and the same installed dependencies give the same bytes. Without --output, it is the
 * only file in build/package.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { bashCompletion } from './completion.js'
import { copyDependencies, driverBinary } from './dependencies.js'
import { configurationManPage } from './man-page.js'
import { libraryDependencies, nodeLicence } from './node.js'
import { openStage, replace } from './stage.js'

const { values: options } = parseArgs({ options: { output: { type: 'string' } } })

const root = dirname(import.meta.dirname)
const read = (...path) => readFileSync(join(root, ...path), 'utf8')
const manifest = JSON.parse(read('package.json'))

/**
 * The placeholder is for local builds: a package that is distributed names somebody who reads its
 * mail.
 */
const placeholder = 'The RINEX catalogue maintainers <root@localhost>'
const maintainer = process.env.MAINTAINER ?? placeholder
if (maintainer === placeholder)
  process.stderr.write(
    `warning: the maintainer of this package is ${placeholder}: set MAINTAINER='Name <address>' to distribute it\n`,
  )

const home = '/usr/lib/rinex-catalogue'
const docs = '/usr/share/doc/rinex-catalogue'
const configFile = '/etc/rinex-catalogue/config.toml'
const node = `${home}/bin/node`
const driver = `${home}/${driverBinary}`

/** The output of git, or `undefined` outside a checkout. */
function git(...args) {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

/** The mtime of every file in the package, in seconds: the time of the last commit. */
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct'))
if (!Number.isSafeInteger(epoch)) throw new Error('not a checkout: set SOURCE_DATE_EPOCH')
const date = new Date(epoch * 1000)

/**
 * Between releases, the version of a later commit is higher; all are lower than the next release.
 */
function packageVersion() {
  const { version } = manifest
  const commit = git('rev-parse', '--short=7', 'HEAD')
  const tags = git('tag', '--points-at', 'HEAD')?.split('\n') ?? []
  if (commit === undefined || tags.includes(`v${version}`)) return version
  return `${version}~git${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}.${commit}`
}

function addProgram({ at, write, compress }) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  // Types were checked before, by the build or the tests.
  const emit = ['--noCheck', '--sourceMap', 'false']
  const output = ['--outDir', at(`${home}/dist`)]
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.json', ...emit, ...output], {
    cwd: root,
    stdio: 'inherit',
  })
  const { name, version, description, license, type, engines, dependencies } = manifest
  const needed = { name, version, description, license, private: true, type, engines, dependencies }
  write(`${home}/package.json`, `${JSON.stringify(needed, null, 2)}\n`)
  const assets = 'src/api/pages/assets'
  cpSync(join(root, assets), at(join(home, assets)), { recursive: true })
  copyDependencies({ from: root, to: at(home) })
  mkdirSync(dirname(at(node)))
  copyFileSync(process.execPath, at(node))
  chmodSync(at(node), 0o755)
  compress(`${docs}/node-license`, nodeLicence())
  write('/usr/bin/rinex-catalogue', replace(read('packaging/launcher.sh'), '@NODE@', node), 0o755)
}

/** Fails when the SQLite driver does not run with this Node. */
function tryDriver({ at }) {
  const code = `require('better-sqlite3')(':memory:').close()`
  execFileSync(process.execPath, ['-e', code], { cwd: at(home), stdio: 'inherit' })
}

/** The example of config/ with the paths of the services, and its manual page. */
function addConfiguration({ write, compress }) {
  let toml = read('config/rinex-catalogue.toml')
  for (const [key, example, value] of [
    ['archive', '/srv/gnss', '/srv/gnss'],
    ['database', '../var/catalogue.db', '/var/lib/rinex-catalogue/catalogue.db'],
    ['control_socket', '../var/catalogue.sock', '/run/rinex-catalogue/control.sock'],
  ])
    toml = replace(toml, `\n# ${key} = "${example}"\n`, `\n${key} = "${value}"\n`)
  const ours = 'archive, database and control_socket are set\n# for the services.'
  toml = replace(toml, 'No option is required for a trial.', ours)
  const reference = ' docs/configuration.md is the reference.'
  write(configFile, replace(toml, reference, ' See rinex-catalogue.toml(5).'))
  const page = configurationManPage(replace(toml, reference, ''), date)
  compress('/usr/share/man/man5/rinex-catalogue.toml.5', page)
}

/** The units and users of systemd/, with the paths of the package. */
function addServices({ write }) {
  for (const [service, document] of [
    ['rinex-catalogue-indexer.service', 'install.md'],
    ['rinex-catalogue-api.service', 'install.md'],
  ]) {
    const unit = replace(
      read('systemd', service),
      '/opt/rinex-catalogue/bin/node --disable-sigusr1 /opt/rinex-catalogue/dist/cli.js',
      `${node} --disable-sigusr1 ${home}/dist/cli.js`,
    )
    const documents = `man:rinex-catalogue(1) file://${docs}/${document}`
    write(
      `/usr/lib/systemd/system/${service}`,
      replace(unit, `file:///opt/rinex-catalogue/docs/${document}`, documents),
    )
  }
  const users = read('systemd/sysusers.conf')
  write(
    '/usr/lib/sysusers.d/rinex-catalogue.conf',
    replace(users, '# /etc/sysusers.d/rinex-catalogue.conf\n', ''),
  )
}

/** The files of config/ and systemd/ that an administrator copies and adapts. */
const examples =
  /\.example$|^prometheus-rules\.yml$|^grafana-dashboard\.json$|^archive\.conf$|^rinexcat-backup-copy\./

function addDocuments({ at, write, compress }, version) {
  compress('/usr/share/man/man1/rinex-catalogue.1', read('docs/man/rinex-catalogue.1'))
  const time = `${date.toUTCString().slice(0, -'GMT'.length)}+0000`
  const entry = `rinex-catalogue (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.`
  compress(`${docs}/changelog`, `${entry}\n\n -- ${maintainer}  ${time}\n`)
  compress(`${docs}/CHANGELOG.md`, read('CHANGELOG.md'))
  write('/usr/share/lintian/overrides/rinex-catalogue', read('packaging/debian/lintian-overrides'))
  write(`${docs}/copyright`, read('packaging/debian/copyright') + read('LICENSE'))
  for (const name of readdirSync(join(root, 'docs')).sort())
    if (/\.(md|py)$/.test(name) && name !== 'ARCHITECTURE.md')
      write(`${docs}/${name}`, read('docs', name))
  for (const folder of ['config', 'systemd'])
    for (const name of readdirSync(join(root, folder)).sort())
      if (examples.test(name)) write(`${docs}/examples/${name}`, read(folder, name))
  const program = [process.execPath, at(`${home}/dist/cli.js`)]
  write('/usr/share/bash-completion/completions/rinex-catalogue', bashCompletion(program))
}

/** The files that dpkg reads. @returns the architecture */
function addControl({ at, write, files }, version) {
  const installed = files()
  const kibibytes = installed.reduce(
    (sum, path) => sum + Math.ceil(statSync(at(path)).size / 1024),
    0,
  )
  const sums = installed.map((path) => {
    const sum = createHash('md5')
      .update(readFileSync(at(path)))
      .digest('hex')
    return `${sum}  ${path}\n`
  })
  const depends = [
    ...libraryDependencies([driver, node].map(at)),
    'systemd | systemd-standalone-sysusers | systemd-sysusers',
    'passwd',
    // /bin/kill for `systemctl reload`, and `sysctl` of operate.md.
    'procps',
  ]
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()
  const fields = [
    'Package: rinex-catalogue',
    `Version: ${version}`,
    'Section: science',
    'Priority: optional',
    `Architecture: ${architecture}`,
    `Installed-Size: ${kibibytes}`,
    `Maintainer: ${maintainer}`,
    `Depends: ${depends.join(', ')}`,
    'Suggests: nginx | apache2 | caddy, prometheus, psmisc',
    'Description: catalogue of the RINEX files of a GNSS archive',
    ' Indexes the RINEX files of an archive, and serves lists,',
    ' records, changes and the files themselves over HTTP.',
    ` It contains Node.js ${process.versions.node}.`,
  ]
  write('/DEBIAN/control', `${fields.join('\n')}\n`)
  write('/DEBIAN/md5sums', sums.join(''))
  write('/DEBIAN/conffiles', `${configFile}\n`)
  for (const script of ['postinst', 'prerm', 'postrm'])
    write(`/DEBIAN/${script}`, read('packaging/debian', script), 0o755)
  return architecture
}

function emptied(folder) {
  rmSync(folder, { recursive: true, force: true })
  return folder
}

/** @returns the path of the package */
function build(stage) {
  const version = packageVersion()
  addProgram(stage)
  tryDriver(stage)
  addConfiguration(stage)
  addServices(stage)
  addDocuments(stage, version)
  const architecture = addControl(stage, version)
  stage.normalise(epoch)
  const output = options.output ?? emptied('build/package')
  mkdirSync(output, { recursive: true })
  const file = join(output, `rinex-catalogue_${version}_${architecture}.deb`)
  // Every dpkg reads xz; the default of some systems is newer. The tests compress nothing.
  const compressor = process.env.DPKG_DEB_COMPRESSOR_TYPE ?? 'xz'
  const format = ['--root-owner-group', `-Z${compressor}`, '--uniform-compression']
  execFileSync('dpkg-deb', [...format, '--build', stage.folder, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return file
}

const stage = openStage()
try {
  process.stdout.write(`${build(stage)}\n`)
} finally {
  stage.remove()
}
