/** What `check-config` finds on the machine, for a user who is not root. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { checkMachine, usualCommand } from '../../../src/commands/checks/machine-check.ts'
import type { CheckedCommand } from '../../../src/config/command-options.ts'
import { draftConfig } from '../../../src/config/load.ts'
import { commonFolder } from '../../folder.ts'
import { becomeOtherUser } from '../../other-user.ts'
import t from '../../tap.ts'

becomeOtherUser()

t.test('each thing that is missing on the machine is named with its option', async (t) => {
  const withDatabase = { 'c.db': '' }
  const content = { archive: {}, state: {}, closed: withDatabase, filled: withDatabase, other: {} }
  const folder = commonFolder(t, { ...content, file: '' })
  t.teardown(() => {
    // A directory that cannot be read cannot be removed with its content.
    for (const name of ['hidden', 'closed']) chmodSync(join(folder, name), 0o700)
  })
  writeFileSync(join(folder, 'state/secret.db'), '', { mode: 0 })
  mkdirSync(join(folder, 'hidden'), { mode: 0 })
  chmodSync(join(folder, 'closed'), 0o500)
  symlinkSync('made', join(folder, 'to-made'))
  const server = createServer().listen(join(folder, 'filled/c.sock'))
  t.teardown(() => server.close())
  const made = join(folder, 'made')
  const unreachable = /is not there or cannot be reached/
  const yet = 'is not there yet: systemd makes it'
  type Case = readonly [
    command: CheckedCommand,
    paths: Readonly<Record<string, string>>,
    fault?: RegExp | undefined,
    other?: string,
  ]
  const right = { archive: 'archive', database: 'state/c.db' }
  const cases: readonly Case[] = [
    ['start', right],
    ['start', { ...right, archive: 'nowhere' }, /^archive ".*nowhere" is not there/],
    ['serve', { ...right, archive: 'file' }, /^archive ".*file" is not a directory/],
    ['index', { ...right, linkedDirectories: 'nowhere' }, /^linked_directories ".*nowhere" is not/],
    // The indexer makes the directory of the database, the API does not.
    ['index', { ...right, database: 'none/deep/c.db' }, undefined, 'this user can make it'],
    ['start', { ...right, database: 'none/c.db' }, undefined, 'this user can make it'],
    ['serve', { ...right, database: 'none/c.db' }, /^database ".*none" is not there/],
    ['index', { ...right, database: 'file/c.db' }, /^database ".*file" is not a directory/],
    ['index', { ...right, database: 'file/x/c.db' }, /cannot make it in ".*file"/],
    // systemd makes this one, and no other.
    ['index', { ...right, database: 'made/c.db' }, undefined, yet],
    ['serve', { ...right, database: 'made/c.db' }, undefined, yet],
    ['serve', { ...right, database: 'to-made/c.db' }, undefined, yet],
    ['serve', { ...right, database: 'made/x/c.db' }, unreachable],
    ['index', { ...right, controlSocket: 'made/s' }, undefined, yet],
    ['serve', { ...right, controlSocket: 'made/s' }, undefined, yet],
    ['index', { ...right, controlSocket: 'none/s' }, /^control_socket ".*none" is not there/],
    ['serve', { ...right, controlSocket: 'none/s' }, /^control_socket ".*none" is not there/],
    ['serve', { ...right, database: 'filled/c.db' }, undefined, 'may be entered'],
    ['index', { ...right, database: 'filled/c.db' }, undefined, 'may be written'],
    ['index', { ...right, database: 'closed/c.db' }, /^database ".*closed" may not be written/],
    ['index', { ...right, database: 'closed/x/c.db' }, /cannot make it in/],
    ['index', { ...right, controlSocket: 'closed/s' }, /^control_socket ".*" may not be written/],
    ['serve', { ...right, database: 'closed/c.db' }],
    ['serve', { ...right, controlSocket: 'closed/s' }],
    ['serve', { ...right, database: 'hidden/c.db' }, /^database ".*hidden" may not be entered/],
    ['serve', { ...right, database: 'state/secret.db' }, /^database ".*" may not be read/],
    ['serve', { ...right, controlSocket: 'state/secret.db' }, /^control_socket ".*" may not be/],
  ]
  for (const [command, paths, fault, other] of cases) {
    const flags = Object.fromEntries(
      Object.entries(paths).map(([key, path]) => [key, join(folder, path)]),
    )
    const { values, faults } = draftConfig({ env: {}, cwd: folder, flags })
    t.strictSame(faults, [])
    const findings = checkMachine(values, command, [made])
    const found = findings
      .filter(({ level }) => level === 'fault')
      .map(({ key, words }) => `${key} ${words}`)
    const name = `${command} ${JSON.stringify(paths)}`
    t.equal(found.length, fault === undefined ? 0 : 1, name, { found })
    if (fault !== undefined) t.match(found[0], fault, name)
    if (other !== undefined)
      t.ok(
        findings.some(({ words }) => words.includes(other)),
        name,
      )
  }
})

t.test('without a command, the usual one of this user is checked', async (t) => {
  const folder = commonFolder(t, { 'c.db': '' })
  const archive = folder
  t.equal(usualCommand({ archive, database: join(folder, 'c.db') }), 'serve')
  t.equal(usualCommand({ archive, database: join(folder, 'd.db') }), 'start')
  t.equal(usualCommand({ database: join(folder, 'c.db') }), 'start', 'without an archive')
  t.equal(usualCommand({}), 'start')
})
