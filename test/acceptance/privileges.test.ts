/**
 * Runs both processes as their units do: two users of one group, without privileges, and without
 * the system calls that the units do not allow. The user of the API can write neither database nor
 * archive, and the token stays secret.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from '../tap.ts'
import {
  fetchAlone,
  lacks,
  lacksStrace,
  longestMs,
  startService,
  until,
  untilEqual,
} from './service.ts'
import { arrive, dayDirectory, hourDirectory, paths, put } from './tree.ts'

const group = 61_000
const users = { index: 61_001, serve: 61_002 }
const units = { index: 'indexer', serve: 'api' } as const
/** Started with `env`, so that the umask of the unit applies. */
const umasks = { index: '0027', serve: '0077' }

const skip =
  process.getuid?.() === 0
    ? lacks('setpriv', 'setpriv --reuid 61001 --regid 61000 --clear-groups true') ||
      lacksStrace ||
      lacks('systemd-analyze', 'systemd-analyze syscall-filter @system-service')
    : 'only root can change users'

t.setTimeout(longestMs)

/** The system calls of each group of systemd, such as `@file-system`. */
function readGroups(): ReadonlyMap<string, readonly string[]> {
  const { stdout } = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager'], {
    encoding: 'utf8',
  })
  const groups = new Map<string, string[]>()
  let calls: string[] = []
  for (const line of stdout.split('\n')) {
    const [, name] = /^(@[\w-]+)$/.exec(line) ?? []
    const [, call] = /^\s+(@?[\w-]+)$/.exec(line) ?? []
    if (name !== undefined) groups.set(name, (calls = []))
    if (call !== undefined) calls.push(call)
  }
  return groups
}

/** The system calls that a unit allows. */
function allowedCalls(unit: string): string[] {
  const groups = readGroups()
  const expand = (name: string): string[] =>
    name.startsWith('@') ? (groups.get(name) ?? []).flatMap(expand) : [name]
  const allowed = new Set<string>()
  const text = readFileSync(`systemd/rinex-catalogue-${unit}.service`, 'utf8')
  for (const [, not, names = ''] of text.matchAll(/^SystemCallFilter=(~?)(.+)$/gm))
    for (const call of names.split(' ').flatMap(expand))
      if (not === '') allowed.add(call)
      else allowed.delete(call)
  return [...allowed]
}

/** Only the calls that strace knows on this architecture. */
function knownCalls(calls: readonly string[]): string[] {
  const isKnown = (some: readonly string[]) =>
    spawnSync('strace', ['-e', `trace=${some.join()}`, 'true'], { stdio: 'ignore' }).status === 0
  const split = (some: readonly string[]): string[] => {
    if (some.length === 0 || isKnown(some)) return [...some]
    if (some.length === 1) return []
    const half = some.length >> 1
    return [...split(some.slice(0, half)), ...split(some.slice(half))]
  }
  return split(calls)
}

/**
 * A command line that runs a process as its unit does; refused system calls are written to `log`.
 */
function asUnit(command: keyof typeof users, log: string): string[] {
  const others = `!${knownCalls(allowedCalls(units[command])).join()}`
  const strace = ['strace', '-f', '-D', '-qq', '--seccomp-bpf', '-o', log]
  const refuse = ['-e', `trace=${others}`, '-e', `inject=${others}:error=EPERM`]
  const ids = ['--reuid', String(users[command]), '--regid', String(group), '--clear-groups']
  const unprivileged = ['--no-new-privs', '--bounding-set=-all']
  const umask = ['sh', '-c', `umask ${umasks[command]}; exec "$@"`, 'sh']
  return ['setpriv', ...ids, ...unprivileged, ...umask, ...strace, ...refuse]
}

/** Makes a folder outside the checkout, which other users may not be able to enter. */
function makeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'rinex-catalogue-'))
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  chmodSync(folder, 0o755)
  for (const [name, user, mode] of [
    ['state', users.index, 0o2750],
    ['index', users.index, 0o700],
    ['serve', users.serve, 0o700],
  ] as const) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), user, group)
    chmodSync(join(folder, name), mode)
  }
  return folder
}

/** Attempts all kinds of changes to the files below directories; prints those that succeed. */
const attempts = `
  const fs = require('node:fs'), path = require('node:path')
  const attempt = (what, work) => { try { work(); console.log(what) } catch {} }
  for (const root of process.argv.slice(1)) {
    const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true })
    const all = [root, ...entries.map((e) => path.join(e.parentPath ?? e.path, e.name))]
    for (const file of all) {
      if (fs.lstatSync(file).isDirectory()) {
        attempt('create in ' + file, () => fs.writeFileSync(path.join(file, 'new.gz'), ''))
        attempt('mkdir in ' + file, () => fs.mkdirSync(path.join(file, 'new')))
      } else if (fs.lstatSync(file).isFile()) {
        attempt('write ' + file, () => fs.closeSync(fs.openSync(file, 'r+')))
        attempt('append ' + file, () => fs.closeSync(fs.openSync(file, 'a')))
        attempt('truncate ' + file, () => fs.truncateSync(file, 0))
      }
      attempt('chmod ' + file, () => fs.chmodSync(file, 0o777))
      attempt('rename ' + file, () => fs.renameSync(file, file + '.moved'))
      attempt('link ' + file, () => fs.linkSync(file, file + '.link'))
      attempt('remove ' + file, () => fs.rmSync(file))
    }
  }`

function writesOf(user: number, directories: readonly string[]): string[] {
  const ids = ['--reuid', String(user), '--regid', String(group), '--clear-groups']
  const { stdout, stderr, status } = spawnSync(
    'setpriv',
    [...ids, '--bounding-set=-all', process.execPath, '-e', attempts, ...directories],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return stdout.split('\n').filter((line) => line !== '')
}

t.test('both processes run with the users and the limits of their units', { skip }, async (t) => {
  const folder = makeFolder(t)
  const archive = join(folder, 'archive')
  for (const path of [...paths(hourDirectory(), 20), ...paths(dayDirectory(20), 20)])
    put(archive, path)
  const token = randomBytes(24).toString('hex')
  const tokenFile = join(folder, 'serve/token')
  writeFileSync(tokenFile, token)
  chownSync(tokenFile, users.serve, group)
  chmodSync(tokenFile, 0o400)
  const service = await startService(t, folder, {
    database: 'state/catalogue.db',
    wrapIndexer: asUnit('index', join(folder, 'index/refused')),
    wrapApi: asUnit('serve', join(folder, 'serve/refused')),
    options: { SWEEP_INTERVAL_SECONDS: '1', ADMIN_TOKEN_FILE: tokenFile, LOG_LEVEL: 'trace' },
  })
  await until('the first scan ends', service.ready)
  await untilEqual(service)

  await t.test(
    'both processes work with only the system calls that their units allow',
    async (t) => {
      for (const path of paths(hourDirectory(), 20, 20)) arrive(archive, path)
      await untilEqual(service)
      const [record] = (await service.list()).keys()
      const download = await fetchAlone(new URL(`/rinex/data/${record}`, service.url))
      t.equal((await download.arrayBuffer()).byteLength > 0 && download.status, 200)
      const stream = await fetchAlone(new URL('?format=ndjson', service.url))
      t.equal((await stream.text()).trimEnd().split('\n').length, 60)
      t.equal((await fetchAlone(new URL('/rinex/api/network/', service.url))).status, 200)
      t.equal((await service.status()).state, 'watching')
      const faults = service.log.filter(({ level }) => level === 'error' || level === 'fatal')
      t.same(faults, [], 'no errors in the log')
      for (const name of Object.keys(users)) {
        const refused = readFileSync(join(folder, name, 'refused'), 'utf8').matchAll(
          /^\d+ +(\w+)\(/gm,
        )
        const calls = [...new Set(Array.from(refused, ([, call]) => call))]
        t.comment(`${name}: refused ${calls.join(', ') || 'none'}`)
      }
    },
  )

  await t.test('the admin token is in no log, command line or environment', async (t) => {
    const rescan = new URL('/rinex/api/rescan/', service.url)
    const post = (given: string) =>
      fetchAlone(rescan, { method: 'POST', headers: { authorization: `Bearer ${given}` } })
    t.equal((await post(token)).status, 202)
    t.equal((await post(`${token}x`)).status, 401)
    t.equal((await service.get(`/rinex/api/rinex-file/${token}/`)).status, 404)
    const secret = (text: string) => text.includes(token)
    const lines = service.log
      .map((line) => JSON.stringify(line))
      .filter((line) => !/"GET"/.test(line))
    t.same(lines.filter(secret), [])
    for (const { pid } of [service.api, service.indexer])
      for (const file of ['cmdline', 'environ'])
        t.notOk(secret(readFileSync(`/proc/${pid}/${file}`, 'latin1')), `${file} of ${pid}`)
  })

  await t.test(
    'neither process can write the archive, and the API cannot write the database',
    async (t) => {
      t.same(writesOf(users.serve, [archive, join(folder, 'state')]), [])
      t.same(writesOf(users.index, [archive]), [])
      t.ok(writesOf(users.index, [join(folder, 'index')]).length > 0, 'the attempts can succeed')
      t.ok(readdirSync(join(folder, 'state')).includes('catalogue.db'))
      await untilEqual(service)
    },
  )
})
