/** Files that are compressed in another way than their names say. */
import t from '../tap.ts'
import { checksumOf, day, manyNames, openCatalogue, sha256 } from './catalogue.ts'
import { change, newFile } from './change.ts'

t.test('a disguised file is listed with this problem, found by a look or by hashing', async (t) => {
  const { writer, reader } = await openCatalogue(t)
  const [seen = '', hashed = '', other = ''] = manyNames(3)
  const files = [{ ...newFile(seen), disguised: true }, newFile(hashed), newFile(other)]
  await writer.apply([change(day, { added: files })])
  const recordOf = async (name: string) => {
    const record = await reader.file({ directory: day, name })
    if (record === undefined) throw new Error(`${name} is not listed`)
    return record
  }
  const state = async () => {
    const filter = { problems: ['disguised'] } as const
    const page = await reader.page({ filter, limit: 9, offset: 0, details: true })
    const sums = { facets: true, most: 100 }
    const all = await reader.page({ filter: {}, limit: 1, offset: 0, sums })
    const { disguised, incomplete, checksums } = await reader.summary()
    const listed = await reader.problems({ kinds: ['disguised'], limit: 9, offset: 0 })
    const hashes = await reader.checksums({ directory: day, after: '' })
    return {
      names: page.records.map(({ name, details }) => `${name} ${details?.problem}`).sort(),
      counted: [page.count, disguised.count, listed.count],
      others: incomplete.count + checksums.broken.count,
      reasons: [...new Set(listed.entries.map(({ reason }) => reason))],
      facet: all.sums?.facets?.problem?.map(({ value, files }) => [value, files]),
      noted: hashes?.files.filter(({ problem }) => problem === 'disguised').length,
    }
  }
  const expected = (...names: string[]) => ({
    names: names.map((name) => `${name} disguised`).sort(),
    counted: Array.from({ length: 3 }, () => names.length),
    others: 0,
    reasons: names.length === 0 ? [] : ['other-compression'],
    facet: names.length === 0 ? [] : [['disguised', names.length]],
    noted: names.length,
  })
  t.same(await state(), expected(seen))
  const hash = async (name: string, problem: 'disguised' | undefined) => {
    const { id, size, mtimeUs } = await recordOf(name)
    await writer.keepChecksums([checksumOf(id, { size, mtimeUs, problem })], 0)
  }
  await hash(hashed, 'disguised')
  t.same(await state(), expected(seen, hashed))
  t.match(await recordOf(hashed), { isDisguised: true, sha256 })
  t.match(await recordOf(other), { isDisguised: false })
  await hash(seen, undefined)
  t.same(await state(), expected(hashed), 'it was read to its end')
  const { id, size } = await recordOf(hashed)
  const modified = { id, name: hashed, size, mtimeUs: 7 }
  await writer.apply([change(day, { modified: [modified] })])
  t.same(await state(), expected(), 'it was replaced')
  await writer.apply([change(day, { modified: [{ ...modified, mtimeUs: 8, disguised: true }] })])
  t.same(await state(), expected(hashed))
})
