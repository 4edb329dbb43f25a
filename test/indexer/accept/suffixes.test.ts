/** Files whose content does not say that it is whole: LZW and plain text. */
import { randomBytes } from 'node:crypto'
import { appendFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { toUs } from '../../../src/catalogue/identity.ts'
import { accept } from '../../../src/indexer/accept/acceptance.ts'
import { reconcile } from '../../../src/indexer/compare/reconcile.ts'
import { startTreeReader } from '../../../src/indexer/read/tree-reader.ts'
import { createLayout, defaultLists } from '../../../src/parse/layout.ts'
import { day } from '../../catalogue/catalogue.ts'
import { change } from '../../catalogue/change.ts'
import { compress } from '../../lzw.ts'
import t, { exact } from '../../tap.ts'
import { nothingSeen, openParts } from '../parts.ts'

const text = Buffer.from('a line of a RINEX file\n'.repeat(1000))
const lzw = compress(text)
const gzip = gzipSync(text)
const dayMs = 86_400_000
/** The day of a file that is written now. */
const today = new Date()
const dayOfYear = (at: Date): string =>
  String(Math.floor((+at - Date.UTC(at.getUTCFullYear(), 0)) / dayMs) + 1).padStart(3, '0')
const yy = String(today.getUTCFullYear() % 100).padStart(2, '0')

/** A directory of files of all suffixes, before or after the end of a first scan. */
async function open(t: Test, { isFirstScan = false } = {}) {
  const parts = await openParts(t)
  const lists = { ...defaultLists, suffixes: ['.gz', '.Z', ''] }
  const tree = startTreeReader({ archive: parts.archive, linkedDirectories: [] }, lists)
  t.teardown(() => tree.close())
  await parts.writer.adoptLayout(lists)
  const { settling, health } = parts
  settling.observe()
  const lastScan = { startedUs: 0, endedUs: 0, directories: 1, files: 1 }
  if (!isFirstScan) health.scanned({ ...lastScan, added: 0, modified: 0, removed: 0 })
  const opened: string[] = []
  const inflate: typeof tree.inflate = (paths) => {
    opened.push(...paths.map((path) => path.slice(day.length + 1)))
    return tree.inflate(paths)
  }
  /** Looks at the directory. @returns the names that are accepted, and those that were opened */
  const look = async () => {
    opened.length = 0
    const snapshot = await tree.snapshot(day)
    const difference = reconcile(snapshot, await parts.writer.directory(day)) ?? change(day, {})
    const context = { ...parts, tree: { ...tree, inflate }, layout: createLayout(lists) }
    const accepted = await accept(context, { snapshot, sight: nothingSeen }, difference)
    await parts.writer.apply([accepted.change])
    const { added, modified } = accepted.change
    const marks = [...added, ...modified].map(({ name, incomplete, disguised }) =>
      [name, incomplete === true && 'incomplete', disguised === true && 'disguised']
        .filter(Boolean)
        .join(' '),
    )
    return { listed: marks, opened: [...opened], retryMs: accepted.retryMs }
  }
  /** Lets the files stand still for a minute and more. */
  const stand = () => {
    for (const name of settling.namesIn(day)) {
      const { size, mtimeMs } = statSync(join(parts.archive, day, name))
      const path = `${day}/${name}`
      if (!settling.stands(path)) continue
      settling.delete(path)
      const aMinuteAgo = { steadyMs: performance.now() - 61_000, wallMs: Date.now() }
      settling.stand(path, { size, mtimeUs: toUs(mtimeMs) }, aMinuteAgo, 1)
    }
  }
  const put = (name: string, content: Buffer): string => parts.put(`${day}/${name}`, content)
  return { ...parts, look, stand, put }
}

const old = new Date(Date.now() - 2 * dayMs)

t.test('each file is listed when its content is whole, or has stood still', async (t) => {
  const { look, stand, put } = await open(t)
  put('aaaa0010.20d.gz', gzip)
  put('bbbb0010.20d.Z', gzip)
  put('cccc0010.20o', gzip)
  put('dddd0010.20d.gz', lzw)
  put('eeee0010.20d.Z', lzw)
  put('ffff0010.20o', text)
  put('gggg0010.20o', text.subarray(0, -1))
  put('hhhh0010.20d.Z', text)
  const first = await look()
  t.same(first.listed, ['aaaa0010.20d.gz', 'bbbb0010.20d.Z disguised', 'cccc0010.20o disguised'])
  t.equal(first.opened.length, 8)
  t.ok(first.retryMs !== undefined && first.retryMs > 59_000 && first.retryMs <= 60_000)
  t.match(
    await look(),
    { listed: exact([]), opened: exact([]) },
    'they are not opened while they stand',
  )
  stand()
  const last = await look()
  t.same(last.listed, [
    'dddd0010.20d.gz disguised',
    'eeee0010.20d.Z',
    'ffff0010.20o',
    'gggg0010.20o incomplete',
    'hhhh0010.20d.Z',
  ])
  t.equal(last.retryMs, undefined)
})

t.test('a file that grows, or becomes another, starts anew', async (t) => {
  const { look, stand, put, settling } = await open(t)
  const file = put('aaaa0010.20d.Z', lzw.subarray(0, 500))
  await look()
  stand()
  appendFileSync(file, lzw.subarray(500))
  t.match(await look(), { listed: exact([]), opened: exact(['aaaa0010.20d.Z']) })
  stand()
  // With the same size and times: what was written first looked like LZW.
  const { mtime } = statSync(file)
  writeFileSync(file, gzipSync(randomBytes(99_999)).subarray(0, lzw.length))
  utimesSync(file, mtime, mtime)
  t.same((await look()).listed, [], 'a gzip stream without its end')
  t.notOk(settling.stands(`${day}/aaaa0010.20d.Z`))
  writeFileSync(file, gzip)
  t.same((await look()).listed, ['aaaa0010.20d.Z disguised'])
})

t.test('a plain file waits for the end of its period', async (t) => {
  const { look, stand, put } = await open(t)
  const name = `aaaa${dayOfYear(today)}0.${yy}o`
  const file = put(name, text)
  put(`aaaa${dayOfYear(today)}0.${yy}d.Z`, lzw)
  await look()
  stand()
  const { listed, retryMs } = await look()
  t.same(listed, [`aaaa${dayOfYear(today)}0.${yy}d.Z`], 'it has stood still')
  t.ok(retryMs !== undefined && retryMs > 0 && retryMs <= 3_600_000)
  utimesSync(file, old, old)
  t.same((await look()).listed, [], 'also with an old mtime')
  renameSync(file, join(dirname(file), 'aaaa0010.20o'))
  t.match(await look(), { listed: exact(['aaaa0010.20o']), opened: exact([]) })
})

t.test('nothing is opened that is there since yesterday, in a first scan no file', async (t) => {
  const names = ['aaaa0010.20d.gz', 'bbbb0010.20d.Z', 'cccc0010.20o']
  for (const isFirstScan of [true, false]) {
    const { look, put } = await open(t, { isFirstScan })
    const contents = [gzip, lzw, text.subarray(0, -1)]
    for (const [index, name] of names.entries())
      utimesSync(put(name, contents[index] ?? gzip), old, old)
    const read = isFirstScan ? [] : names.slice(0, 1)
    t.match(await look(), { listed: exact(names), opened: exact(read) })
  }
})

t.test('many large files that stand still are listed in one look', async (t) => {
  const { look, stand, put } = await open(t)
  const large = Buffer.alloc(3_000_000, '\n')
  const names = ['aaaa', 'bbbb', 'cccc'].map((station) => `${station}0010.20o`)
  // One after the other: the first look into a file counts by its size.
  for (const name of names) {
    put(name, large)
    await look()
  }
  stand()
  t.same((await look()).listed.toSorted(), names)
})
