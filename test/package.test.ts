/** The Debian package: the same bytes at each build, and a program that runs from it. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { loadConfig } from '../src/config/load.ts'
import { optionKeys } from '../src/config/options.ts'
import { testFolder } from './folder.ts'
import t from './tap.ts'

const skip = spawnSync('dpkg-deb', ['--version']).error !== undefined && 'no dpkg-deb here'

const home = 'usr/lib/rinex-catalogue'
const config = 'etc/rinex-catalogue/config.toml'

/** Builds a package into a folder; returns its path. */
async function build(output: string): Promise<string> {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    DPKG_DEB_COMPRESSOR_TYPE: 'none',
    // Outside a checkout there is no commit to take the time from.
    ...(existsSync('.git') ? {} : { SOURCE_DATE_EPOCH: '1700000000' }),
  }
  const args = ['packaging/build.js', '--output', output]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env })
  t.match(stderr, /^warning: the maintainer of this package is .*: set MAINTAINER='/m)
  return stdout.trim()
}

/** The installed examples that the documents name. */
function namedExamples(): readonly string[] {
  const texts = readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join('docs', name), 'utf8'))
  const names = /\/(usr\/share\/doc\/rinex-catalogue\/examples\/)([\w.-]+)(?:\{([\w,]+)\})?/g
  return Array.from(texts.join('\n').matchAll(names)).flatMap(([, folder = '', name = '', ends]) =>
    (ends ?? '').split(',').map((end) => folder + name + end),
  )
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1e8 })
}

/** The lines of `dpkg-deb --contents`. */
function contentsOf(file: string): { mode: string; owner: string; time: string; path: string }[] {
  const lines = run('dpkg-deb', '--contents', file).trimEnd().split('\n')
  return lines.map((line) => {
    const [mode = '', owner = '', , day = '', hour = '', path = ''] = line.split(/\s+/)
    return { mode, owner, time: `${day} ${hour}`, path: path.slice(2) }
  })
}

t.test('the Debian package is complete and works', { skip, timeout: 600_000 }, async (t) => {
  const folder = testFolder(t)
  const [file, again] = await Promise.all([
    build(join(folder, 'package')),
    build(join(folder, 'again')),
  ])
  const root = join(folder, 'root')
  run('dpkg-deb', '--raw-extract', file, root)
  const installed = (path: string): string => readFileSync(join(root, path), 'utf8')
  const uncompressed = (path: string): string =>
    gunzipSync(readFileSync(join(root, path))).toString()
  const contents = contentsOf(file)
  const files = contents.filter(({ mode }) => !mode.startsWith('d')).map(({ path }) => path)

  await t.test('two builds have the same bytes', async (t) => {
    t.equal(basename(file), basename(again))
    t.ok(readFileSync(file).equals(readFileSync(again)), 'byte for byte')
  })

  await t.test('all files of the package have owner root, one time and usual modes', async (t) => {
    t.strictSame([...new Set(contents.map(({ owner }) => owner))], ['root/root'])
    t.equal(new Set(contents.map(({ time }) => time)).size, 1)
    const modes = new Set(contents.map(({ mode }) => mode))
    t.strictSame([...modes].sort(), ['-rw-r--r--', '-rwxr-xr-x', 'drwxr-xr-x'])
    const programs = contents.filter(({ mode }) => mode === '-rwxr-xr-x').map(({ path }) => path)
    t.strictSame(programs.sort(), ['usr/bin/rinex-catalogue', `${home}/bin/node`])
  })

  await t.test('the package has all that the services need, and no more', async (t) => {
    for (const path of [
      config,
      'usr/bin/rinex-catalogue',
      'usr/lib/systemd/system/rinex-catalogue-api.service',
      'usr/lib/systemd/system/rinex-catalogue-indexer.service',
      'usr/lib/sysusers.d/rinex-catalogue.conf',
      'usr/share/bash-completion/completions/rinex-catalogue',
      'usr/share/doc/rinex-catalogue/changelog.gz',
      'usr/share/doc/rinex-catalogue/copyright',
      'usr/share/doc/rinex-catalogue/examples/nginx.conf.example',
      'usr/share/doc/rinex-catalogue/examples/rinexcat-backup-copy.timer',
      'usr/share/doc/rinex-catalogue/install.md',
      'usr/share/doc/rinex-catalogue/node-license.gz',
      'usr/share/man/man1/rinex-catalogue.1.gz',
      'usr/share/man/man5/rinex-catalogue.toml.5.gz',
      `${home}/dist/cli.js`,
      `${home}/package.json`,
    ])
      t.ok(files.includes(path), path)
    const driver = files.filter((path) => path.startsWith(`${home}/node_modules/better-sqlite3/`))
    const other = driver.filter((path) => !/\/(lib\/.*\.js|package\.json|LICENSE)$/.test(path))
    const binary = `${home}/node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`
    t.strictSame(other, [binary])
    const modules = readdirSync(join(root, home, 'node_modules'))
    for (const name of [
      'typescript',
      'tap',
      'eslint',
      'node-addon-api',
      `node-linux-${process.arch}`,
      '.bin',
      '.package-lock.json',
    ])
      t.notOk(modules.includes(name), `no ${name}`)
    const sources = files.filter((path) => /\.(ts|map|c|h|md)$/.test(path) && path.startsWith(home))
    t.strictSame(
      sources.filter((path) => !/\/license\.md$/i.test(path)),
      [],
    )
    for (const name of modules.filter((name) => !name.startsWith('@')))
      t.ok(existsSync(join(root, home, 'node_modules', name, 'package.json')), name)
  })

  await t.test('the examples are in the package, where the documents name them', async (t) => {
    const named = namedExamples()
    for (const path of named) t.ok(files.includes(path), path)
    for (const name of readdirSync('config').filter((name) => name !== 'rinex-catalogue.toml'))
      t.ok(named.includes(`usr/share/doc/rinex-catalogue/examples/${name}`), name)
  })

  await t.test('no file of the package contains a path of the build', async (t) => {
    const paths = [process.cwd(), folder, 'rinex-catalogue-package-']
    const found = files.filter((path) => {
      const content = readFileSync(join(root, path))
      return paths.some((text) => content.includes(text))
    })
    t.strictSame(found, [])
  })

  await t.test('the control files name conffiles, checksums and dependencies', async (t) => {
    t.equal(installed('DEBIAN/conffiles'), `/${config}\n`)
    for (const script of ['postinst', 'prerm', 'postrm'])
      t.equal(run('sh', '-n', join(root, 'DEBIAN', script)), '', script)
    t.equal(spawnSync('md5sum', ['--quiet', '-c', 'DEBIAN/md5sums'], { cwd: root }).status, 0)
    const depends = run('dpkg-deb', '--field', file, 'Depends')
    t.match(depends, /^libc6 \(>= 2\.\d+\), .*libstdc\+\+6 \(>= \d+\), systemd \| /)
    t.match(depends, /, procps$/m, 'for systemctl reload')
    t.notMatch(depends, 'nodejs')
  })

  await t.test('the units differ from those of the checkout in two paths', async (t) => {
    for (const unit of readdirSync('systemd').filter((name) => /^rinex-.*\.service$/.test(name))) {
      const expected = readFileSync(join('systemd', unit), 'utf8')
        .replace(
          '/opt/rinex-catalogue/bin/node --disable-sigusr1 /opt/rinex-catalogue/',
          `/${home}/bin/node --disable-sigusr1 /${home}/`,
        )
        .replace(/^Documentation=.*$/m, 'Documentation=')
      const found = installed(`usr/lib/systemd/system/${unit}`)
      t.equal(found.replace(/^Documentation=.*$/m, 'Documentation='), expected, unit)
      t.notMatch(found, '/opt/')
    }
  })

  await t.test('the configuration of the package sets only paths of the services', async (t) => {
    const loaded = loadConfig({ env: {}, flags: {}, cwd: '/', file: join(root, config) })
    t.match(loaded.config, {
      archive: '/srv/gnss',
      database: '/var/lib/rinex-catalogue/catalogue.db',
      controlSocket: '/run/rinex-catalogue/control.sock',
    })
    const set = optionKeys.filter((key) => loaded.origins[key].endsWith(config))
    t.strictSame(set.sort(), ['archive', 'control_socket', 'database'])
    for (const key of optionKeys)
      t.match(installed(config), new RegExp(`^(# )?${key} = `, 'm'), key)
  })

  const { error } = spawnSync('groff', ['--version'])
  await t.test(
    'the manual pages of the package are complete and without warnings',
    { skip: error !== undefined && 'no groff here' },
    async (t) => {
      const page = uncompressed('usr/share/man/man5/rinex-catalogue.toml.5.gz')
      const keys = Array.from(page.matchAll(/^\.It Ic (\w+) No = /gm), ([, key]) => key)
      t.strictSame(keys.toSorted(), optionKeys.toSorted())
      const options = ['-ww', '-z', '-mandoc', '-Tutf8']
      const { status, stderr } = spawnSync('groff', options, { input: page, encoding: 'utf8' })
      t.strictSame({ status, stderr }, { status: 0, stderr: '' })
      t.equal(
        uncompressed('usr/share/man/man1/rinex-catalogue.1.gz'),
        readFileSync('docs/man/rinex-catalogue.1', 'utf8'),
      )
    },
  )

  await t.test('bash completes commands, flags and files', async (t) => {
    const script = join(root, 'usr/share/bash-completion/completions/rinex-catalogue')
    const complete = (...words: string[]): string[] => {
      const code = `compopt() { :; }; . "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rinex_catalogue; echo "\${COMPREPLY[@]}"`
      return run('bash', '-c', code, script, 'rinex-catalogue', ...words)
        .trim()
        .split(' ')
    }
    t.strictSame(complete('ch'), ['check', 'check-config'])
    t.strictSame(complete('rescan', '--a'), ['--archive', '--accept-removals'])
    t.strictSame(complete('--config', 'x', 'status', '--j'), ['--json'])
    t.strictSame(complete('serve', '--port', ''), [''])
    t.strictSame(complete('serve', '--database', 'c'), [''], 'left to the completion of files')
  })

  const program = [join(root, home, 'bin/node'), join(root, home, 'dist/cli.js')] as const

  await t.test('the launcher uses the configuration of the package or a given one', async (t) => {
    // Its absolute paths lead into the extracted package.
    const launcher = join(folder, 'launcher')
    const text = installed('usr/bin/rinex-catalogue').replaceAll(
      /(\/etc|\/usr\/lib)\//g,
      `${root}$1/`,
    )
    writeFileSync(launcher, text, { mode: 0o755 })
    const own = join(folder, 'own.toml')
    writeFileSync(own, 'archive = "/"')
    const archive = (env: Record<string, string>, ...args: string[]): string => {
      const found = spawnSync(launcher, ['check-config', ...args], { env, encoding: 'utf8' })
      return /archive = "?(.*?)"? # from/.exec(found.stdout)?.[1] ?? found.stderr
    }
    const usual = { database: join(folder, 'c.db'), socket: join(folder, 's') }
    const flags = ['--database', usual.database, '--control-socket', usual.socket]
    t.match(archive({}, ...flags), '/srv/gnss')
    t.equal(archive({}, '--config', own, ...flags), '/')
    t.equal(archive({ RINEX_CATALOGUE_CONFIG: own }, ...flags), '/')
    const [node, cli] = program
    t.equal(run(launcher, '--version'), run(node, cli, '--version'))
  })

  await t.test('the installed program answers a list of its demo', async (t) => {
    const state = join(folder, 'state')
    mkdirSync(state)
    const [node, cli] = program
    const service = spawn(node, [cli, 'start', '--port', '0'], {
      cwd: state,
      env: {},
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(async () => {
      if (service.exitCode === null && service.kill()) await once(service, 'exit')
    })
    let log = ''
    for await (const text of service.stdout) {
      log += String(text)
      if (log.includes('"listening"') && log.includes('caught up with the archive')) break
    }
    service.stdout.resume()
    const list = /"url":"([^"]+)"/.exec(log)?.[1] ?? ''
    const answer = (await (await fetch(list)).json()) as { count: number; results: object[] }
    t.ok(answer.count > 30_000, 'the files of the demo')
    t.match(answer.results[0], { download_path: /\/rinex\/data\/(nrt|obs)\// })
    const page = await fetch(list, { headers: { accept: 'text/html' } })
    t.match(await page.text(), '<html')
    for (const path of ['/rinex/api/schema/', '/metrics'])
      t.equal((await fetch(new URL(path, list))).status, 200, path)
    const { download_path: url } = answer.results[0] as { download_path: string }
    t.equal((await fetch(url)).status, 200)
    service.kill()
    t.strictSame(await once(service, 'exit'), [0, null])
  })
})
