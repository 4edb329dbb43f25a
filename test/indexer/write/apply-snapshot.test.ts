import { mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { engine } from '../../catalogue/engines.ts'
import t, { exact } from '../../tap.ts'
import { openApplyStageOn } from '../apply-stage.ts'
import { pathsOf, unreadableSnapshotOf } from '../parts.ts'

const day = 'obs/2020/001'
const graz = 'graz0010.20d.gz'
const old = new Date('2020-03-01T00:00:00Z')

t.test(
  'new directories are found through their parents, and removed when they are gone',
  async (t) => {
    const { archive, known, put, readAndApply, writer } = await openApplyStageOn(t)
    put(`${day}/${graz}`)
    put('obs/2021/002/zimm0020.21d.gz')
    await readAndApply('obs')
    t.same(pathsOf(known), ['obs', 'obs/2020', day, 'obs/2021', 'obs/2021/002'])
    t.equal(await writer.count('obs'), 2)
    rmSync(join(archive, 'obs/2021'), { recursive: true })
    await readAndApply('obs')
    t.same(pathsOf(known), ['obs', 'obs/2020', day])
    t.same(known.childrenOf('obs'), ['obs/2020'])
    t.equal(await writer.count('obs'), 1)
  },
)

t.test('no record is removed while an area has no directories', async (t) => {
  const lost = /obs\/ below the archive root is lost/
  const states = [
    {
      title: 'emptied',
      make: (path: string) => mkdirSync(path),
    },
    { title: 'gone', make: () => undefined },
    {
      title: 'a mount point with a note and lost+found',
      make(path: string) {
        mkdirSync(join(path, 'lost+found'), { recursive: true })
        writeFileSync(join(path, 'NOT_MOUNTED'), '')
      },
    },
    {
      title: 'a file',
      make: (path: string) => writeFileSync(path, ''),
    },
  ]
  const { archive, put, readAndApply, status, restored, writer } = await openApplyStageOn(t)
  put(`${day}/${graz}`)
  put(`obs/${graz}`)
  await readAndApply('obs')
  t.equal(await writer.count('obs'), 2)
  for (const { title, make } of states) {
    restored.count = 0
    renameSync(join(archive, 'obs'), join(archive, 'aside'))
    make(join(archive, 'obs'))
    await readAndApply(day)
    await readAndApply('obs', 'obs/2020', day)
    t.match(status(), { state: 'degraded', problems: exact([{ text: lost }]) }, title)
    t.equal(await writer.count('obs'), 2)
    t.equal(restored.count, 0)
    rmSync(join(archive, 'obs'), { recursive: true, force: true })
    renameSync(join(archive, 'aside'), join(archive, 'obs'))
    await readAndApply('obs', 'obs/2020', day)
    t.match(status(), { state: 'starting', problems: exact([]) }, `${title}, and back`)
    t.equal(restored.count, 1)
    t.equal(await writer.count('obs'), 2)
  }
})

t.test(
  'files directly in an area without directories are catalogued like all others',
  async (t) => {
    const { archive, put, readAndApply, status, writer } = await openApplyStageOn(t)
    mkdirSync(join(archive, 'nrt'))
    await readAndApply('nrt')
    t.match(status(), { state: 'starting' }, 'an empty area is no problem')
    put(`nrt/${graz}`)
    put('nrt/zimm0010.20d.gz')
    await readAndApply('nrt')
    rmSync(join(archive, 'nrt', graz))
    await readAndApply('nrt')
    t.equal(await writer.count('nrt'), 1)
    t.match(status(), { state: 'starting' })
  },
)

t.test('a failed write is reported and tried again', async (t) => {
  const { archive, put, readAndApply, confirmAll, status, sql, dirty, writer, lines } =
    await openApplyStageOn(t)
  const path = put(`${day}/${graz}`)
  utimesSync(join(archive, day), old, old)
  utimesSync(path, old, old)
  await readAndApply('obs')
  await confirmAll()
  await sql(engine.failing('UPDATE ON file'))
  writeFileSync(path, gzipSync('written over in place'))
  t.same(statSync(join(archive, day)).mtime, old, 'its directory does not show it')
  await readAndApply(day)
  const againMs = performance.now()
  await readAndApply(day)
  t.match(status(), {
    state: 'degraded',
    problems: exact([{ text: /cannot be written: apply: malformed JSON/ }]),
  })
  t.equal(lines.filter(({ problem }) => /malformed/.test(problem ?? '')).length, 1, 'reported once')
  t.ok((dirty.nextDueMs() ?? 0) >= againMs + 5000, 'not at once')
  t.equal(dirty.take(Infinity), day)
  await sql(engine.repaired('failing'))
  await readAndApply(day)
  t.match(status(), { state: 'starting', problems: exact([]) })
  t.equal((await writer.directory(day))?.files.get(graz)?.size, statSync(path).size)
})

t.test('a directory that the catalogue refuses does not affect other directories', async (t) => {
  const { archive, put, readAndApply, status, sql, dirty, writer, lines } =
    await openApplyStageOn(t)
  const others = ['obs/2020/002', 'obs/2020/003']
  for (const path of [day, ...others]) put(`${path}/${graz}`)
  put(`${day}/odd10010.20d.gz`)
  await sql(engine.refusing('odd10010.20d.gz'))
  await readAndApply('obs')
  await readAndApply(day)
  for (const path of others) t.equal((await writer.directory(path))?.files.size, 1, path)
  t.notOk((await writer.directory(day))?.files.size, 'nothing of it')
  const message = /^obs\/2020\/001\/ cannot be catalogued: odd row$/
  t.match(status(), { state: 'degraded', problems: exact([{ text: message }]) })
  t.equal(lines.filter(({ problem }) => message.test(problem ?? '')).length, 1, 'reported once')
  t.equal(dirty.take(performance.now()), undefined, 'not at once')
  const waiting = []
  for (let next; (next = dirty.take(Infinity)) !== undefined;) waiting.push(next)
  t.ok(waiting.includes(day))
  await sql(engine.repaired('refusing'))
  await readAndApply(day)
  t.match(status(), { state: 'starting', problems: exact([]) })
  t.equal((await writer.directory(day))?.files.size, 2)
  t.equal(await writer.count('obs'), 4)

  put('obs/2020/004/odd10040.20d.gz')
  await sql(engine.refusing('odd10040.20d.gz'))
  await readAndApply('obs/2020')
  t.match(status(), { state: 'degraded', problems: exact([{ text: /^obs\/2020\/004\/ cannot/ }]) })
  rmSync(join(archive, 'obs/2020/004'), { recursive: true })
  await readAndApply('obs/2020/004')
  t.match(status(), { state: 'starting', problems: exact([]) }, 'what is gone is no problem')
})

t.test('what cannot be read keeps its records and its subdirectories', async (t) => {
  const { applyStage, known, put, readAndApply, confirmAll, writer, dirty, status } =
    await openApplyStageOn(t)
  put(`${day}/${graz}`)
  put(`obs/2020/${graz}`)
  await readAndApply('obs')
  await confirmAll()
  const before = pathsOf(known)
  for (const path of [day, 'obs/2020', 'obs'])
    for (const walked of [false, true]) {
      const snapshot = unreadableSnapshotOf(path)
      await applyStage.add({ snapshot, walked, requestedMs: 0 })
      t.strictSame(await applyStage.flush(), new Set(), path)
      t.equal(await writer.count('obs'), 2, path)
      t.strictSame(pathsOf(known), before)
      t.equal(dirty.size, 0)
      t.equal((await writer.directory(path))?.stamp, undefined, 'sweeps find it again')
    }
  t.strictSame(
    status().problems.map(({ text }) => text),
    ['obs/ cannot be read (EACCES)'],
  )
  await readAndApply('obs')
  t.strictSame(status().problems, [])
})
