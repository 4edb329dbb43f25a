/** The command `check-config` checks that the machine has everything that the configuration names. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { exact } from '../tap.ts'
import { machineFaults } from '../../src/commands/check-config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { becomeOtherUser } from '../other-user.ts'

t.test('each thing that is missing on the machine is named with its option', async (t) => {
  becomeOtherUser()
  // The path of a socket must be short.
  const folder = mkdtempSync(join(tmpdir(), 'machine-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const name of ['archive', 'state', 'closed']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'file'), '')
  chmodSync(join(folder, 'closed'), 0o500)
  const right = { archive: 'archive', database: 'state/c.db' }
  const cases: (readonly [Record<string, string>, RegExp | undefined])[] = [
    [right, undefined],
    [{ ...right, archive: 'nowhere' }, /^archive ".*nowhere" is not there/],
    [{ ...right, archive: 'file' }, /^archive ".*file" is not a directory/],
    [{ ...right, linkedDirectories: '/nowhere' }, /^linked_directories "\/nowhere" is not there/],
    [{ ...right, database: 'none/c.db' }, undefined],
    [{ ...right, database: 'file/c.db' }, /^database ".*file" is not a directory/],
    [{ ...right, controlSocket: 'none/s' }, /^control_socket ".*none" is not there/],
    [{ ...right, baseUrl: 'https://a.example/b/rinex/' }, /^base_url ends with dataset_prefix/],
    [{ ...right, baseUrl: 'https://a.example/rinexb' }, undefined],
    [{ ...right, database: 'closed/c.db' }, /^database ".*closed" may not be written/],
  ]
  for (const [flags, wanted] of cases) {
    const { database, controlSocket: socket, ...others } = flags
    const paths = {
      database: join(folder, database ?? ''),
      archive: join(folder, others['archive'] ?? ''),
      ...(socket === undefined ? {} : { controlSocket: join(folder, socket) }),
    }
    const loaded = loadConfig({ env: {}, cwd: folder, flags: { ...others, ...paths } })
    const faults = machineFaults(loaded).map(({ message }) => message)
    if (wanted === undefined) t.strictSame(faults, [])
    else t.match(faults, exact([wanted]))
  }
})
