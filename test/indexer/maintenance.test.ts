import { buildIndexes } from '../../src/indexer/maintenance.ts'
import t from '../tap.ts'
import { until } from '../until.ts'
import { openParts } from './parts.ts'

t.test('indexes that cannot be built are tried again, or are a failure', async (t) => {
  const { writer, logger, lines, sql } = await openParts(t)
  await writer.deferIndexes()
  const context = { writer, logger, signal: new AbortController().signal }
  // No index can have the name of a table.
  await sql('CREATE TABLE file_station (one)')
  await t.rejects(buildIndexes({ ...context, patient: false }), { message: /file_station/ })
  const building = buildIndexes({ ...context, patient: true })
  const isLogged = (words: string) => lines.some(({ msg }) => msg === words)
  await until('the failure is logged', () => isLogged('building indexes failed; retrying'))
  t.notOk(isLogged('indexes built'))
  await sql('DROP TABLE file_station')
  await building
  t.ok(isLogged('indexes built'))
  t.same(await writer.buildIndexes(), { names: [], left: 0 })
})

t.test('the end of the process ends the attempts to build indexes', async (t) => {
  const { writer, logger, lines, sql } = await openParts(t)
  await writer.deferIndexes()
  await sql('CREATE TABLE file_station (one)')
  const ending = new AbortController()
  const building = buildIndexes({ writer, logger, signal: ending.signal, patient: true })
  await until('an attempt has failed', () => lines.length > 0)
  ending.abort()
  await building
  t.equal(lines.length, 1, 'it built none')
})
