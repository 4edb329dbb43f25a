/**
 * What is inside the files is known soon after they arrive, and of the files of an earlier release
 * while they are served. With SLOW=1 two thousand files and twenty kills.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import type { TestEngine } from '../catalogue/engines.ts'
import { postgres, sqlite } from '../catalogue/engines.ts'
import { testFolder } from '../folder.ts'
import { lacksPostgres } from '../postgres.ts'
import { epochs3, header3 } from '../rinex/texts.ts'
import t, { exact } from '../tap.ts'
import type { Service } from './service.ts'
import { longestMs, slow, startScanned, startService, stop, until } from './service.ts'
import { arrive, dayDirectory, hourDirectory, pathIn, paths, put } from './tree.ts'

const count = slow ? 2_000 : 200
const kills = slow ? 20 : 2

t.setTimeout(longestMs)

const whole = gzipSync(header3() + epochs3(120))
const few = gzipSync(header3() + epochs3(50))
const cut = gzipSync((header3() + epochs3(119)).slice(0, -20))

interface Missing {
  readonly results: readonly {
    readonly start: string
    readonly station: string
    readonly file: string
    readonly share: number | null
  }[]
}

async function openOn(t: Parameters<typeof startService>[0], engine: TestEngine) {
  const folder = testFolder(t)
  put(`${folder}/archive`, pathIn(hourDirectory(2), 1), whole)
  const database = await engine.database(t, folder)
  const options = { DATABASE: engine === sqlite ? 'catalogue.db' : database }
  const service = await startService(t, folder, { options })
  await until('the first scan ends', service.ready)
  const damaged = async (): Promise<number> => {
    const path = '/rinex/api/missing/?state=damaged'
    const { status, body } = await service.get(path)
    return status === 200 ? (body as Missing).results.length : -1
  }
  const half = async (): Promise<readonly (string | number | null)[] | undefined> => {
    const { status, body } = await service.get('/rinex/api/missing/?state=half')
    if (status !== 200) return undefined
    return (body as Missing).results.flatMap(({ file, share }) => [basename(file), share])
  }
  return { ...service, damaged, half }
}

for (const engine of [sqlite, postgres])
  t.test(
    `a file with few epochs is half until a better one comes, on ${engine.name}`,
    { skip: engine === postgres && lacksPostgres() },
    async (t) => {
      const { archive, half, damaged, get } = await openOn(t, engine)
      const halfIs = async (what: string, expected: readonly (string | number)[]) => {
        await until(what, async () => isDeepStrictEqual(await half(), expected))
      }
      const path = pathIn(hourDirectory(1), 0)
      const [other, name] = [path.replace('_R_', '_S_'), basename(path)]
      arrive(archive, path, few)
      await halfIs('it is half', [name, 0.4167])
      t.equal(await damaged(), 0)
      const { body } = await get('/rinex/api/series/?state=present&station=' + name.slice(0, 9))
      t.match(body, { results: exact([{ half_28d: 1, completeness_28d: 1 }]) })
      arrive(archive, other, cut)
      await halfIs('a damaged file beside it changes nothing', [name, 0.4167])
      arrive(archive, other, whole)
      await halfIs('a whole file beside it is enough', [])
      rmSync(join(archive, other))
      await halfIs('it is the best one again', [name, 0.4167])
      arrive(archive, path, whole)
      await halfIs('a better copy ends it', [])
    },
  )

for (const engine of [sqlite, postgres])
  t.test(
    `a file that was cut is damaged until a whole one is renamed over it, on ${engine.name}`,
    { skip: engine === postgres && lacksPostgres() },
    async (t) => {
      const { archive, damaged, count, get, status } = await openOn(t, engine)
      /** The files with data of yesterday and today that were cut, by the status. */
      const cutFiles = async (): Promise<number> =>
        (await status()).flagged?.flags.find(({ flag }) => flag === 'cut')?.files ?? 0
      const path = pathIn(hourDirectory(1), 0)
      arrive(archive, path, cut)
      await until('it is listed', async () => (await count()) === 2)
      const listedMs = performance.now()
      await until('it is damaged', async () => (await damaged()) === 1)
      t.comment(`damaged ${Math.round(performance.now() - listedMs)} ms after it was listed`)
      await until('the status counts it', async () => (await cutFiles()) === 1)
      const found = await get('/rinex/api/rinex-file/?problem=broken&expand=file')
      t.match(found.body, { count: 1, results: exact([{ file: { problem: 'broken' } }]) })
      const listed = await get('/rinex/api/status/problems/?problem=broken')
      t.match(listed.body, { count: 1, results: exact([{ path, reason: 'cut' }]) })
      arrive(archive, path, whole)
      await until('the whole one is good', async () => (await damaged()) === 0)
      await until('the status forgets it', async () => (await cutFiles()) === 0)
      const other = pathIn(hourDirectory(1), 2)
      arrive(archive, other, cut)
      await until('another one is damaged', async () => (await damaged()) === 1)
    },
  )

t.test('other flags damage files from the next start on', async (t) => {
  const service = await openOn(t, sqlite)
  const { archive, damaged, folder } = service
  arrive(archive, pathIn(hourDirectory(1), 0), cut)
  await until('it is damaged', async () => (await damaged()) === 1)
  await stop(service.indexer, 'SIGTERM')
  await stop(service.api, 'SIGTERM')
  const options = { DAMAGED_BY: 'marker' }
  const again = await startService(t, folder, { options })
  await until('both are damaged', async () => {
    const { body } = await again.get('/rinex/api/missing/?state=damaged')
    return (body as Missing).results.length === 2
  })
})

t.test(
  `the files of an earlier release get their facts although the indexer is killed ${kills} times`,
  async (t) => {
    const all = paths(dayDirectory(200), count)
    const service = await startScanned(t, all)
    const known = async () => {
      const { checksums } = await service.status()
      return checksums
    }
    // An end before the last ones are checked again makes them stale.
    const allKnown = async () => {
      const { facts, waiting } = await known()
      return facts === count && waiting === 0
    }
    await until('all have facts', allKnown)
    await stop(service.indexer, 'SIGTERM')
    forget(service)
    service.startIndexer()
    for (let kill = 0, before = 0; kill < kills; kill++) {
      await until('more have facts, or all', async () => {
        const { facts } = await known()
        return facts > before || facts === count
      })
      before = (await known()).facts
      service.indexer.kill('SIGKILL')
      await once(service.indexer, 'exit')
      t.equal((await known()).files, count, 'checksums are served meanwhile')
      service.startIndexer()
    }
    await until('all have facts', allKnown)
    t.equal(await service.check(), 'nothing differs\n')
    t.equal(withoutMd5(service), 0)
  },
)

/** Makes the catalogue one of schema 2 as far as files are concerned. */
function forget({ database }: Service): void {
  const db = new Sqlite(database)
  db.exec('UPDATE checksum SET md5 = NULL; UPDATE hashing SET facts = 0')
  for (const table of ['fact', 'fact_count', 'share_count']) db.exec(`DELETE FROM ${table}`)
  db.close()
}

function withoutMd5({ database }: Service): unknown {
  const db = new Sqlite(database, { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM checksum WHERE md5 IS NULL').pluck().get()
  } finally {
    db.close()
  }
}
