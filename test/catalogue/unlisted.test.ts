/** Removed and rejected names, compared with what was removed and rejected. */
import Sqlite from 'better-sqlite3'
import { unlisted } from '../../src/catalogue/questions/files.ts'
import { dialect } from '../../src/catalogue/sqlite/dialect.ts'
import { Driver } from '../../src/catalogue/sqlite/driver.ts'
import t from '../tap.ts'
import { openCatalogue } from './catalogue.ts'
import { newFile } from './change.ts'
import { aboutSqlite } from './engines.ts'

const directories = ['obs/2026/001', 'obs/2026/002', 'nrt/2026/001/05'] as const
const names = ['graz0010.26d.gz', 'GRAZ0010.26D.gz', 'zimm0010.26d.gz', 'abc10010.26d.gz']
const rejectedNames = ['README.txt', 'readme.TXT', 'x.gz', 'ZIMM0010.26d.gz']

t.test('the removed and rejected names of some directories, in any case', async (t) => {
  const { reader, apply } = await openCatalogue(t, { stepUs: 1000 })
  const removed: { directory: string; name: string }[] = []
  for (const directory of directories) {
    const rejections = [
      { reason: 'not-gz', count: 2, names: rejectedNames.slice(0, 2) },
      { reason: 'symlink', count: 2, names: rejectedNames.slice(2) },
    ]
    await apply({ added: names.map((name) => newFile(name)), rejections }, directory)
    for (const name of names.slice(directory.startsWith('nrt') ? 2 : 1)) {
      const id = (await reader.file({ directory, name }))?.id ?? 0
      await apply({ removed: [id], rejections }, directory)
      removed.unshift({ directory, name })
    }
  }
  const lower = ['graz0010.26d.gz', 'zimm0010.26d.gz', 'readme.txt', 'nothing']
  for (const asked of [[], ['obs/2026/001'], ['nowhere', ...directories], [...directories, 'obs']])
    for (const few of [[], lower.slice(0, 1), lower.slice(1), lower]) {
      const answer = await reader.unlisted({ directories: asked, names: few })
      const isAsked = (file: { readonly directory: string; readonly name: string }): boolean =>
        asked.includes(file.directory) && few.includes(file.name.toLowerCase())
      t.strictSame(
        answer.removed.map(({ directory, name }) => ({ directory, name })),
        removed.filter(isAsked),
        `${few.join()} in ${asked.join()}`,
      )
      const rejected = [...directories]
        .sort()
        .flatMap((directory) => rejectedNames.map((name) => ({ directory, name })))
      t.strictSame(
        answer.rejected.map(({ directory, name }) => ({ directory, name })),
        rejected.filter(isAsked),
      )
      for (const { seq, atUs } of answer.removed) t.ok(seq > 0 && atUs > 1_700_000_000_000_000)
    }
})

t.test('it reads only the directories that are asked for', { skip: aboutSqlite }, async (t) => {
  const { database, apply } = await openCatalogue(t)
  await apply({ added: [newFile('graz0010.26d.gz')] })
  const run: string[] = []
  const db = new Sqlite(database, { readonly: true, verbose: (sql) => void run.push(String(sql)) })
  t.teardown(() => db.close())
  new Driver(db).read(unlisted({ directories: ['obs/2026/001'], names: ['x'] }, { dialect }))
  const plans = run
    .filter((sql) => sql.startsWith('SELECT'))
    .map((sql) => db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
  t.equal(plans.length, 2)
  for (const steps of plans) {
    const plan = steps.map(({ detail }) => detail)
    t.ok(
      plan.some((step) => /^SEARCH d USING .*\(path=\?\)/.test(step)),
      plan.join('; '),
    )
    t.ok(
      plan.some((step) => /^SEARCH [fr] USING .*\(directory=\?\)/.test(step)),
      plan.join('; '),
    )
    t.notOk(
      plan.some((step) => /^SCAN [fdr]\b/.test(step)),
      plan.join('; '),
    )
  }
})

t.test('stations are found by the beginning of any of their codes', async (t) => {
  const { reader, apply } = await openCatalogue(t)
  const added = ['graz0010.26d.gz', 'zimm0010.26d.gz', 'grab0010.26d.gz'].map((name) =>
    newFile(name),
  )
  await apply({ added: [...added, newFile('GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz')] })
  for (const [start, codes] of [
    ['', ['GRAB', 'GRAZ00AUT', 'ZIMM']],
    ['GR', ['GRAB', 'GRAZ00AUT']],
    ['GRAZ', ['GRAZ00AUT']],
    ['GRAZ00AUT', ['GRAZ00AUT']],
    ['RAZ', []],
    ['AUT', []],
  ] as const) {
    const { stations, count } = await reader.stations({ starts: [start], limit: 10, offset: 0 })
    t.strictSame(
      stations.map(({ code }) => code),
      codes,
      start,
    )
    t.equal(count, codes.length)
  }
})
