import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseDataTarget, parseDirectoryTarget } from '../../src/api/data-target.ts'
import { openArchive } from '../../src/api/download.ts'
import { openPieceReader, pieceBytes } from '../../src/api/pieces.ts'
import { day, dayFile, hourFile, openService } from './service.ts'
import { laterThan } from '../file-clock.ts'
import { testFolder } from '../folder.ts'

t.test('the last piece is given out only if nothing has changed', async (t) => {
  const archive = testFolder(t, { obs: {} })
  mkdirSync(join(archive, day), { recursive: true })
  const path = join(archive, day, dayFile)
  const size = pieceBytes + 10
  const whole = { first: 0, last: size - 1 }
  const pieces = openPieceReader()
  const tree = openArchive({ archive, linkedDirectories: [] })
  const reopen = async () => {
    writeFileSync(path, Buffer.alloc(size, 'a'))
    const file = await tree.open({ directory: day, name: dayFile })
    t.teardown(() => {
      file.close()
    })
    return file
  }
  const changes = {
    'cut short': () => {
      truncateSync(path, size - 1)
    },
    grown: () => {
      appendFileSync(path, 'b')
    },
    overwritten: () => {
      writeFileSync(path, Buffer.alloc(size, 'b'))
    },
    'moved away': () => {
      renameSync(path, `${path}.old`)
    },
  }
  const changed = { message: /^(cut short|changed while it was read)$/ }
  for (const [what, change] of Object.entries(changes)) {
    const file = await reopen()
    t.equal((await pieces.read(file, whole, 0)).length, pieceBytes, 'a first piece')
    await laterThan(path)
    change()
    await t.rejects(pieces.read(file, whole, pieceBytes), changed, what)
    const part = { first: 0, last: 9 }
    await t.rejects(pieces.read(file, part, 0), changed, `${what}, of a small part`)
  }
  const file = await reopen()
  const lengths: number[] = []
  for await (const piece of await pieces.all(file, { first: 5, last: size - 1 }))
    lengths.push(piece.length)
  t.same(lengths, [pieceBytes, 5])
  const changing = await reopen()
  const all = await pieces.all(changing, whole)
  t.equal((await all.next()).value?.length, pieceBytes)
  await laterThan(path)
  truncateSync(path, size - 1)
  await t.rejects(all.next(), changed)
})

t.test(
  'downloads that end leave their memory to others, those under way keep theirs',
  async (t) => {
    const archive = testFolder(t, { obs: {} })
    mkdirSync(join(archive, day), { recursive: true })
    const names = [dayFile, hourFile]
    for (const [index, name] of names.entries())
      writeFileSync(join(archive, day, name), Buffer.alloc(3 * pieceBytes, String(index)))
    const tree = openArchive({ archive, linkedDirectories: [] })
    const pieces = openPieceReader()
    const open = async (name: string) => {
      const file = await tree.open({ directory: day, name })
      t.teardown(() => {
        file.close()
      })
      return pieces.all(file, { first: 0, last: 3 * pieceBytes - 1 })
    }
    const [one, two] = await Promise.all([open(dayFile), open(hourFile)])
    const first = (await one.next()).value
    const other = (await two.next()).value
    t.ok(first?.every((byte) => byte === 0x30) && other?.every((byte) => byte === 0x31))
    await one.return()
    const again = (await (await open(dayFile)).next()).value
    t.equal(again?.buffer, first?.buffer, 'the memory of the one that has ended')
    t.ok(
      other?.every((byte) => byte === 0x31),
      'nobody else writes to it',
    )
  },
)

t.test('where many are under way, a small one gets no more memory than it fills', async (t) => {
  const archive = testFolder(t, { obs: {} })
  mkdirSync(join(archive, day), { recursive: true })
  writeFileSync(join(archive, day, dayFile), 'content')
  const file = await openArchive({ archive, linkedDirectories: [] }).open({
    directory: day,
    name: dayFile,
  })
  t.teardown(() => {
    file.close()
  })
  const pieces = openPieceReader()
  const under = Array.from({ length: 100 }, () => pieces.all(file, { first: 0, last: 6 }))
  const sizes = await Promise.all(
    under.map(async (all) => {
      const { value } = await (await all).next()
      t.equal(value?.toString(), 'content')
      return value?.buffer.byteLength
    }),
  )
  t.equal(sizes[0], pieceBytes)
  t.equal(sizes.at(-1), 7)
  for (const all of under) await (await all).return()
  const later = await (await pieces.all(file, { first: 0, last: 6 })).next()
  t.equal(later.value?.buffer.byteLength, pieceBytes)
})

t.test('the grammar of request targets', async (t) => {
  const place = { directory: 'obs/2026/001', name: dayFile }
  const file = `obs/2026/001/${dayFile}`
  const long = 'a'.repeat(64)
  const cases: [string, string, object | undefined][] = [
    ['rinex', `/rinex/data/${file}`, place],
    ['rinex', `/rinex/data/${file}?`, place],
    ['rinex', `/rinex/data/${file}?a=../..&b=%00`, place],
    ['gnss/rinex', `/gnss/rinex/data/${file}`, place],
    ['gnss/rinex', `/rinex/data/${file}`, undefined],
    ['rinex', '/rinex/data/obs/x.gz', { directory: 'obs', name: 'x.gz' }],
    ['rinex', `/rinex/data/nrt/${hourFile}`, { directory: 'nrt', name: hourFile }],
    ['rinex', `/rinex/data/obs/${long}/x`, { directory: `obs/${long}`, name: 'x' }],
    ['rinex', `/rinex/data/obs/${long}a/x`, undefined],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/x', { directory: 'obs/b/c/d/e/f/g/h', name: 'x' }],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/x', undefined],
    ['rinex', `/rinex/data/obs/${'x'.repeat(255)}`, { directory: 'obs', name: 'x'.repeat(255) }],
    ['rinex', `/rinex/data/obs/${'x'.repeat(256)}`, undefined],
    ['rinex', '/rinex/data/x', undefined],
    ['rinex', '/rinex/data/', undefined],
    ['rinex', '/rinex/data/other/x', undefined],
    ['rinex', '/rinex/data/obs/-a/x', undefined],
    ['rinex', '/rinex/data/obs/a-b.c_d/x', { directory: 'obs/a-b.c_d', name: 'x' }],
    ['rinex', '/rinex/data/obs/a-b', undefined],
  ]
  for (const [prefix, target, expected] of cases) {
    t.same(parseDataTarget(target, prefix), expected, target.slice(0, 60))
  }
})

t.test('request targets of directories', async (t) => {
  const long = 'a'.repeat(64)
  const cases: [string, string, string | undefined][] = [
    ['rinex', '/rinex/data/', ''],
    ['rinex', '/rinex/data/?x', ''],
    ['gnss/rinex', '/gnss/rinex/data/', ''],
    ['gnss/rinex', '/rinex/data/', undefined],
    ['rinex', '/rinex/data', undefined],
    ['rinex', '/rinex/data//', undefined],
    ['rinex', '/rinex/data/./', undefined],
    ['rinex', '/rinex/data/../', undefined],
    ['rinex', '/rinex/data/obs/', 'obs'],
    ['rinex', '/rinex/data/obs', 'obs'],
    ['rinex', '/rinex/data/obs//', undefined],
    ['rinex', '/rinex/data/OBS/', undefined],
    ['rinex', '/rinex/data/other/', undefined],
    ['rinex', '/rinex/data/obs/2026/001/?C=N;O=D', 'obs/2026/001'],
    ['rinex', '/rinex/data/obs/2026/001?/', 'obs/2026/001'],
    ['rinex', '/rinex/data/obs/2026/../', undefined],
    ['rinex', '/rinex/data/obs/2026/%30%30%31/', undefined],
    ['rinex', '/rinex/data/obs/2026/.hidden/', undefined],
    ['rinex', '/rinex/data/obs/a-b.c_d/', 'obs/a-b.c_d'],
    ['rinex', '/rinex/data/obs/-a/', undefined],
    ['rinex', `/rinex/data/obs/${long}/`, `obs/${long}`],
    ['rinex', `/rinex/data/obs/${long}a/`, undefined],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/', 'obs/b/c/d/e/f/g/h'],
    ['rinex', '/rinex/data/obs/b/c/d/e/f/g/h/i/', undefined],
  ]
  for (const [prefix, target, directory] of cases) {
    const hasSlash = (target.split('?')[0] ?? '').endsWith('/')
    const expected = directory === undefined ? undefined : { directory, hasSlash }
    t.same(parseDirectoryTarget(target, prefix), expected, target.slice(0, 60))
  }
})

t.test('a prefix of several parts', async (t) => {
  const service = await openService(t, { settings: { datasetPrefix: 'gnss/rinex' } })
  await service.add(`${day}/${dayFile}`)
  interface Page {
    results: { url: string; download_path: string }[]
  }
  const page = await service.app.inject('/gnss/rinex/api/rinex-file/')
  const [record] = page.json<Page>().results
  for (const url of [record?.url, record?.download_path]) {
    t.match(url, /^https:\/\/archive\.example\/gnss\/rinex\//)
    t.equal((await service.app.inject(new URL(url ?? '').pathname)).statusCode, 200)
  }
  const sent = await service.app.inject('/gnss/rinex/api')
  t.equal(sent.headers.location, 'api/')
})
