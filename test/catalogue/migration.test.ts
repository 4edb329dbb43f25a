/** A migration is killed in each of its steps, and then completed. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { value } from '../../src/catalogue/question.ts'
import { countFaults } from '../../src/catalogue/questions/count-faults.ts'
import { page as pageOf } from '../../src/catalogue/questions/pages.ts'
import { contextOf } from '../../src/catalogue/selection/context.ts'
import { migrations, schemaVersion } from '../../src/catalogue/tables/migrations.ts'
import { rowsAfter, tables as allTables } from '../../src/catalogue/updates/copy.ts'
import { lacksPostgres } from '../postgres.ts'
import t, { exact } from '../tap.ts'
import { checksumOf, day, facts, openCatalogue } from './catalogue.ts'
import { change, newFile } from './change.ts'
import { postgres, sqlite } from './engines.ts'
import { later } from './migrating.ts'
import { allFacts } from './some-facts.ts'

const slow = process.env['SLOW'] === '1'
const tables = ['catalogue', 'directory', 'station', 'kind', 'file', 'tombstone', 'checksum']
const counts = ['id_count', 'day_count', 'station_count', 'built', 'series', 'delivery']

/** SQL that takes out what later schemas have added to the first one. */
const first = [
  'DROP TABLE fact_count',
  'DROP TABLE share_count',
  'DROP TABLE fact',
  'DROP TABLE observables',
  'DROP TABLE equipment',
  'CREATE INDEX checksum_broken ON checksum (id) WHERE broken = 1',
  'ALTER TABLE hashing DROP COLUMN facts',
  'ALTER TABLE checksum DROP COLUMN md5',
  'ALTER TABLE catalogue DROP COLUMN damaged_by',
  'ALTER TABLE directory DROP COLUMN newest',
  'ALTER TABLE catalogue DROP COLUMN layout',
  'DROP INDEX file_contradicting',
  'DROP INDEX file_disguised',
  'ALTER TABLE file DROP COLUMN disguised',
]
const names = ['graz0010.26d.gz', 'zimm0010.26n.gz', 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz']

t.test('each migration leads to the next schema', async (t) => {
  const list = [...migrations, ...later]
  t.same(
    list.map(([schema]) => schema),
    list.map((_, at) => at + 2),
  )
  t.equal(schemaVersion, 1 + migrations.length)
})

for (const engine of [sqlite, postgres])
  t.test(
    `the schema of the first release is migrated, on ${engine.name}`,
    { skip: engine === postgres && lacksPostgres() },
    async (t) => {
      const nowUs = () => Date.UTC(2026, 5) * 1000
      const former = await openCatalogue(t, { engine, nowUs })
      await former.writer.apply([change(day, { added: names.map((name) => newFile(name, facts)) })])
      await former.writer.keepChecksums([checksumOf(1), checksumOf(2)], 3)
      const before = await former.sql('SELECT * FROM catalogue')
      const newest = await former.sql('SELECT path, newest FROM directory')
      t.match(newest, exact([{ path: day, newest: Number }]))
      for (const statement of [...first, engine.dialect.setSchema(1)]) await former.sql(statement)
      await former.close()
      const { folder } = former
      const opened = await openCatalogue(t, { engine, folder })
      const { ask, sql, reader, writer } = opened
      t.equal(await ask(value<number>(engine.dialect.schema)), schemaVersion)
      t.same(await sql('SELECT * FROM catalogue'), before)
      t.same(await sql('SELECT path, newest FROM directory'), newest)
      t.equal(await reader.layout(), undefined)
      for (const table of allTables) await ask(rowsAfter(table))
      t.same(await sql('SELECT id, md5 FROM checksum WHERE id = 2'), [{ id: 2, md5: null }])
      await writer.keepChecksums([checksumOf(1, { facts: allFacts })], 3)
      t.same(await reader.facts({ ids: [1, 2] }), new Map([[1, { facts: allFacts, damaging: [] }]]))
      t.same(await opened.differences(), [])
    },
  )

for (const engine of [sqlite, postgres])
  t.test(
    `a migration that is killed in each step, on ${engine.name}`,
    { skip: engine === postgres && lacksPostgres() },
    async (t) => {
      const { database, writer, reader } = await openCatalogue(t, { engine })
      await writer.apply([
        change(day, { added: names.map((name) => newFile(name, facts)) }),
        change('nrt/2026/001/05', { added: [newFile('zimm001f.26d.gz', facts)] }),
      ])
      await writer.apply([change(day, { removed: [2] })])
      await writer.keepChecksums([checksumOf(1)], 3)
      await writer.checkpoint()
      await reader.close()
      await engine.close(writer)
      const { ask, sql, close } = await engine.connect(database)
      t.teardown(close)
      const read = async (list: readonly string[]) => {
        const found: Record<string, unknown> = {}
        for (const table of list) {
          const rows = await sql(`SELECT * FROM ${table}`)
          found[table] = rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        }
        return found
      }
      const schema = () => ask(value<number>(engine.dialect.schema))
      const page = async (filter: { readonly years?: readonly number[] }) =>
        await ask(pageOf({ limit: 9, offset: 0, filter }, contextOf(engine.dialect)))
      /** Runs a phase again and again, each time killed some steps later, until it ends. */
      const kill = async (phase: string, every: number, afterKill: () => Promise<void>) => {
        const program = join(import.meta.dirname, 'migrating.ts')
        for (let step = 0; ; step += every) {
          const args = [program, engine.name, database, phase, String(step)]
          const { signal, status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
          if (status === 0) return step
          t.equal(signal, 'SIGKILL', stderr)
          await afterKill()
        }
      }

      const before = await read([...tables, ...counts])
      const migrating = await kill('migrate', 1, async () => {
        t.equal(await schema(), schemaVersion)
        t.same(await read([...tables, ...counts]), before)
      })
      // SQLite has one step more: before the backup.
      t.equal(migrating, 6 + Number(engine === sqlite))
      t.equal(await schema(), schemaVersion + 2)
      t.match(await page({}), { count: 3 }, 'the list answers')
      await t.rejects(page({ years: [2026] }), { code: 'NOT_BUILT' })

      const between = await read([...tables, ...counts])
      const building = await kill('build', slow ? 1 : 4, async () => {
        t.same(await read([...tables, ...counts]), between)
      })
      t.ok(building >= 12, `${building} steps`)
      t.match(await page({ years: [2026] }), { count: 3 })
      t.same(await ask(countFaults()), [])
      const stations = before['station'] as { readonly id: number }[]
      const expected = stations.map((station) => ({ ...station, approved: station.id }))
      t.same(await read([...tables, ...counts, 'visit']), {
        ...before,
        station: expected,
        visit: [],
      })
    },
  )
