/** The command `start`: where its database may be, and a second one on the same database. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t from '../tap.ts'
import { until } from '../until.ts'

t.test('start makes the folders of its database, and a second one says what to do', async (t) => {
  const folder = testFolder(t, { archive: { obs: {}, nrt: {} } })
  const launch = () => {
    const files = ['--archive', 'archive', '--database', 'new/folder/c.db', '--control-socket', 's']
    const child = spawn(...programLine(['start', ...files, '--port', '0']), { cwd: folder })
    const outcome = { child, text: '' }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => (outcome.text += piece.toString()))
    t.teardown(async () => {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    })
    return outcome
  }
  const first = launch()
  await until('the first runs', () => first.text.includes('caught up with the archive'))
  t.ok(existsSync(join(folder, 'new/folder/c.db')))
  const second = launch()
  const [code] = (await once(second.child, 'close')) as [number | null]
  t.equal(code, 1)
  const sentence =
    /"already running: another indexer holds [^"]*c\.db-lock: stop it, or choose another database \(--database FILE\)"/
  t.match(second.text, sentence)
  t.equal(first.child.exitCode, null, 'the first still runs')
})
