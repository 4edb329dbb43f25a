/** What is inside the files that are read for their checksums. */
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Test } from 'tap'
import { digestFile } from '../../../src/indexer/checksums/digest.ts'
import type { Facts } from '../../../src/rinex/facts.ts'
import { overwrite } from '../../file-changes.ts'
import { testFolder } from '../../folder.ts'
import { compress } from '../../lzw.ts'
import { factsIn, flagsOf } from '../../rinex/reading.ts'
import { epochs3, header3 } from '../../rinex/texts.ts'
import t, { exact } from '../../tap.ts'

const stem = 'TLSE00FRA_R_20240011800_01H_30S_MO.rnx'
const header = header3()
const hour = Buffer.from(header + epochs3(120))
/** So long that it is read, inflated and decoded in many pieces. */
const many = Buffer.from(header + epochs3(3600, { interval: 1, satellites: 40 }))
const cut = hour.subarray(0, -20)

/** Writes a file, and reads its facts. */
async function factsOf(
  t: Test,
  name: string,
  content: Buffer,
  { facts = true, onProgress }: { facts?: boolean; onProgress?: (path: string) => void } = {},
): Promise<Facts | undefined> {
  const path = join(testFolder(t), name)
  writeFileSync(path, content)
  utimesSync(path, 1000, 1000)
  const request = { path, size: content.length, mtimeUs: 1e9, facts }
  const digest = await digestFile(request, () => onProgress?.(path))
  t.ok(digest, name)
  return digest?.facts
}

const forms = {
  [`${stem}.gz`]: gzipSync,
  [`${stem}.Z`]: (text: Buffer) => compress(text),
  [stem]: (text: Buffer) => text,
  // Another compression than the name says.
  [stem.toLowerCase()]: gzipSync,
}

t.test('facts are those of the text, however it is compressed', async (t) => {
  for (const [name, pack] of Object.entries(forms))
    for (const text of [hour, many, Buffer.from('no RINEX file\n')]) {
      const expected = factsIn(text, `${stem}.gz`)
      t.same(await factsOf(t, name, pack(text)), expected, `${name}: ${text.length} bytes`)
    }
  t.match(factsIn(hour, `${stem}.gz`), { epochs: 120, share: 1, marker: { name: 'TLSE' } })
  const parts = [header, epochs3(120)].map((text) => gzipSync(text))
  t.match(await factsOf(t, `${stem}.gz`, Buffer.concat(parts)), { epochs: 120 }, 'two streams')
})

t.test('a text that was cut is flagged if its form is whole', async (t) => {
  const flags = async (name: string, content: Buffer) =>
    flagsOf((await factsOf(t, name, content)) ?? { flags: [] })
  t.same(await flags(`${stem}.gz`, gzipSync(cut)), ['cut'])
  t.same(await flags(`${stem}.gz`, gzipSync(header)), ['empty'])
  t.same(await flags(`${stem}.Z`, compress(hour).subarray(0, -200)), ['cut', 'short'])
})

t.test('a file that was not read to its end has the facts of its header', async (t) => {
  const broken = gzipSync(many, { level: 1 })
  broken.fill(0xff, broken.length >> 1, (broken.length >> 1) + 8)
  for (const [name, content] of [
    [`${stem}.gz`, gzipSync(hour).subarray(0, -9)],
    [`${stem}.gz`, broken],
    [`${stem}.Z`, Buffer.concat([compress(hour), Buffer.alloc(99, 255)])],
    [stem, hour.subarray(0, -5)],
  ] as const) {
    const found = await factsOf(t, name, content)
    t.match(found, { flags: exact([]), marker: { name: 'TLSE' }, rinex_version: '3.04' }, name)
    t.notOk(found && ('epochs' in found || 'share' in found), `${name}: no epochs`)
  }
  t.same(await factsOf(t, `${stem}.gz`, Buffer.from('nothing')), { flags: [] })
  t.same(await factsOf(t, `${stem}.Z`, hour), { flags: [] })
})

t.test('a file that changes while it is read has the facts of what it is then', async (t) => {
  const before = gzipSync(many, { level: 0 })
  const other = Buffer.from(
    gzipSync(Buffer.from(many.toString().replace('TLSE', 'GRAZ')), { level: 0 }),
  )
  t.equal(other.length, before.length)
  let isDone = false
  const onProgress = (path: string): void => {
    if (!isDone) overwrite(path, other)
    isDone = true
  }
  t.match(await factsOf(t, `${stem}.gz`, before, { onProgress }), { marker: { name: 'GRAZ' } })
})

t.test('a file is read for its facts only if they are wanted', async (t) => {
  t.equal(await factsOf(t, `${stem}.gz`, gzipSync(hour), { facts: false }), undefined)
  t.equal(await factsOf(t, 'readme.gz', gzipSync(hour)), undefined, 'no RINEX name')
})
