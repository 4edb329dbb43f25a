/** While the indexer migrates the database, the API answers 503 with the progress. */
import { join } from 'node:path'
import t, { exact } from '../tap.ts'
import { migrate } from '../../src/catalogue/sqlite/migration.ts'
import { connectForWriting } from '../../src/catalogue/sqlite/open.ts'
import { openReader } from '../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../catalogue/change.ts'
import { makeEarlier } from '../catalogue/earlier-database.ts'
import { testFolder } from '../folder.ts'
import { day, dayFile, openService } from './service.ts'

t.test('the API answers 503 with the progress during a migration, then the list', async (t) => {
  const database = join(testFolder(t), 'catalogue.db')
  const writer = openWriter({ database, nowUs: () => 1 })
  await writer.apply([change(day, { added: [newFile(dayFile)] })])
  writer.close()
  makeEarlier(database, 14)
  const reader = openReader({ database })
  const { app } = await openService(t, { deps: () => ({ reader }) })
  const db = connectForWriting(database)
  t.teardown(() => {
    reader.close()
    db.close()
  })
  const list = '/rinex/api/rinex-file/'
  const before = await app.inject(list)
  t.match(before, { statusCode: 503, headers: { 'retry-after': '5' } })
  t.match(before.json(), { detail: 'The catalogue cannot be read at this moment.' })
  const progress = /being migrated to schema \d+: counting, \d+ %/
  let seen = 0
  for (const step of migrate(db)) {
    if (!step.includes('counting')) continue
    seen++
    for (const url of [list, '/rinex/api/station/', '/rinex/api/changes/']) {
      const answer = await app.inject(url)
      t.match(answer, { statusCode: 503, headers: { 'retry-after': '5' } }, url)
      t.match(answer.json(), { detail: progress }, `${url}, ${step}`)
    }
    t.match((await app.inject('/readyz')).json(), { reason: progress })
  }
  t.equal(seen, 3)
  t.match((await app.inject(list)).json(), { count: 1, results: exact([{ filename: dayFile }]) })
})
