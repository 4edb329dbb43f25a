/** If the database is truncated while it is open, requests get 503, not 500. */
import { copyFileSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { openReader } from '../../src/catalogue/sqlite/reader.ts'
import { openWriter } from '../../src/catalogue/sqlite/writer.ts'
import { change, newFile } from '../catalogue/change.ts'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { day, dayFile, openService } from './service.ts'

const paths = [
  ...['', '?limit=1000', '?filename__contains=z', '?format=ndjson', '?ordering=filename', '1/'].map(
    (rest) => `/rinex/api/rinex-file/${rest}`,
  ),
  ...['station/', 'station/GRAZ/', 'status/', 'archive/', 'changes/?since=0'].map(
    (rest) => `/rinex/api/${rest}`,
  ),
  '/rinex/data/obs/',
]

for (const wasRead of [false, true])
  t.test(`a truncated database, ${wasRead ? 'read' : 'not read'} before, gets 503`, async (t) => {
    const folder = testFolder(t, {})
    const whole = join(folder, 'whole.db')
    const writer = openWriter({ database: whole, nowUs: () => 1_700_000_000_000_000 })
    await writer.apply([change(day, { added: [newFile(dayFile)] })])
    writer.close()
    const { size } = statSync(whole)
    for (const length of [0, 100, 4096, Math.floor(size / 2), size - 4096]) {
      const database = join(folder, `${length}.db`)
      copyFileSync(whole, database)
      const reader = openReader({ database })
      t.teardown(() => reader.close())
      const { app } = await openService(t, { deps: () => ({ reader }) })
      if (wasRead)
        for (const url of paths) t.equal((await app.inject(url)).statusCode, 200, `${url}, whole`)
      truncateSync(database, length)
      for (const url of paths) {
        const { statusCode, headers } = await app.inject(url)
        // SQLite may still answer from its page cache.
        t.ok([503, ...(wasRead ? [200] : [])].includes(statusCode), `${url}, ${length} bytes`)
        if (statusCode === 503) t.ok(headers['retry-after'])
      }
    }
  })
