import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { unavailablePart } from '../../../src/api/downloads/storage-check.ts'
import { StorageLog } from '../../../src/api/downloads/unserved-files.ts'
import { defaultLayout } from '../../../src/parse/layout.ts'
import { change } from '../../catalogue/change.ts'
import { commonFolder, testFolder } from '../../folder.ts'
import { asOtherUser } from '../../other-user.ts'
import t, { exact } from '../../tap.ts'
import { catalogue, day, dayFile, openService } from '../service.ts'

t.test('the unavailable part of the archive is found for a directory', async (t) => {
  const folder = testFolder(t, {
    disk: { '2009': { '001': {} }, 'a-file': '' },
    empty: {},
    'no-directory': '',
  })
  const archive = join(folder, 'archive')
  const linked = ['disk', 'empty', 'no-disk', 'no-directory'].map((name) => join(folder, name))
  const tree = { archive, linkedDirectories: linked, layout: defaultLayout }
  const unavailable = (directory: string) => unavailablePart(tree, directory)
  t.equal(await unavailable('obs/2026/001'), archive, 'no archive')
  mkdirSync(archive)
  t.equal(await unavailable('obs/2026/001'), archive, 'an empty archive')
  mkdirSync(join(archive, 'nrt/2026'), { recursive: true })
  t.equal(await unavailable('obs/2026/001'), join(archive, 'obs'), 'no area')
  mkdirSync(join(archive, 'obs'))
  writeFileSync(join(archive, 'obs/READ.ME'), 'mount the disk here')
  t.equal(await unavailable('obs/2026/001'), join(archive, 'obs'), 'an empty mount point')
  mkdirSync(join(archive, 'obs/2026/001'), { recursive: true })
  t.equal(await unavailable('obs/2026/001'), undefined)
  t.equal(await unavailable('obs/2025/001'), undefined, 'a removed year is not an unavailable disk')
  const links: [string, string, boolean][] = [
    ['2009', '../../disk/2009', false],
    ['2008', '../../disk/2008', false],
    ['2007', '../../empty', true],
    ['2006', '../../empty/2006', true],
    ['2005', join(folder, 'no-disk/2005'), true],
    ['2004', join(folder, 'elsewhere/2004'), false],
    ['2003', '../../disk/a-file', false],
    ['2002', '../../disk/a-file/2002', false],
    ['2001', '../../no-directory/2001', true],
    ['2000', '../../disk/leads-to-no-disk/2000', true],
    ['1999', '../../disk/loop/1999', false],
  ]
  symlinkSync('../no-disk', join(folder, 'disk/leads-to-no-disk'))
  symlinkSync('loop', join(folder, 'disk/loop'))
  for (const [year, target, isAway] of links) {
    const link = join(archive, 'obs', year)
    symlinkSync(target, link)
    t.equal(await unavailable(`obs/${year}/001`), isAway ? link : undefined, target)
  }
})

t.test(
  'an unavailable path is logged once, again after an hour, and when it recovers',
  async (t) => {
    const lines: { msg: string; path: string }[] = []
    const logger = pino({}, { write: (line) => lines.push(JSON.parse(line) as never) })
    let nowMs = 0
    const log = new StorageLog(logger, () => nowMs)
    for (let n = 0; n < 10; n++) log.note('/a/obs', 'away')
    log.opened('/a/obsolete/x')
    t.strictSame(
      lines.map(({ msg }) => msg),
      ['away'],
    )
    log.opened('/a/obs/x')
    log.opened('/a/obs/x')
    t.equal(lines.length, 2)
    t.match(lines[1], { msg: /recovered/, path: '/a/obs' })
    log.note('/a/obs', 'away')
    nowMs = 3_600_001
    log.note('/a/obs', 'away')
    t.equal(lines.length, 4)
  },
)

t.test('a file on an unavailable disk gets 503, a removed file gets 404', async (t) => {
  const folder = testFolder(t, { disk: {} })
  const linked = join(folder, 'disk')
  const service = await openService(t, { settings: { linkedDirectories: [linked] } })
  const { archive } = service
  await service.add(`${day}/${dayFile}`)
  mkdirSync(join(linked, '2009/001'), { recursive: true })
  symlinkSync(join(linked, '2009'), join(archive, 'obs/2009'))
  await service.add(`obs/2009/001/${dayFile}`)
  writeFileSync(join(linked, dayFile), 'on the disk')
  mkdirSync(join(archive, 'obs/2010/001'), { recursive: true })
  symlinkSync(join(linked, dayFile), join(archive, 'obs/2010/001', dayFile))
  await catalogue(service.writer, archive, `obs/2010/001/${dayFile}`)
  const status = async (directory: string) => {
    const answer = await service.app.inject(`/rinex/data/${directory}/${dayFile}`)
    if (answer.statusCode === 503) t.equal(answer.headers['retry-after'], '60')
    return answer.statusCode
  }
  const waysToBeAway: Readonly<Record<string, (path: string) => void>> = {
    missing: () => undefined,
    empty: (path) => mkdirSync(path),
    'a mount point with a note': (path) => {
      mkdirSync(path)
      writeFileSync(join(path, 'note'), '')
    },
  }
  const places: [string, string][] = [
    [archive, day],
    [join(archive, 'obs'), day],
    [linked, 'obs/2009/001'],
    [linked, 'obs/2010/001'],
  ]
  for (const [path, directory] of places)
    for (const [what, make] of Object.entries(waysToBeAway)) {
      if (path === linked && what.startsWith('a mount point')) continue
      t.equal(await status(directory), 200)
      const before = service.log.length
      renameSync(path, `${path}.away`)
      make(path)
      for (let n = 0; n < 3; n++) t.equal(await status(directory), 503, `${path} ${what}`)
      const lines = service.log.slice(before).filter(({ level }) => Number(level) >= 40)
      t.equal(lines.length, 1, 'one log line')
      rmSync(path, { recursive: true, force: true })
      renameSync(`${path}.away`, path)
      t.equal(await status(directory), 200, 'recovered')
    }
  rmSync(join(linked, dayFile))
  t.equal(await status('obs/2010/001'), 404, 'a file removed from a linked disk')
  rmSync(join(archive, day, dayFile))
  t.equal(await status(day), 404, 'a removed file')
  rmSync(join(archive, dirname(day)), { recursive: true })
  t.equal(await status(day), 404, 'a removed year')
})

t.test('an area without read permission is unavailable', async (t) => {
  const archive = commonFolder(t, { obs: { '2026': {} } })
  chmodSync(join(archive, 'obs'), 0)
  t.teardown(() => chmodSync(join(archive, 'obs'), 0o755))
  const tree = { archive, linkedDirectories: [], layout: defaultLayout }
  const part = await asOtherUser(() => unavailablePart(tree, 'obs/2026'))
  t.equal(part, join(archive, 'obs'))
})

t.test('a missing file whose removal is withheld gets 503', async (t) => {
  const service = await openService(t)
  await service.add(`${day}/${dayFile}`)
  await service.add('obs/2026/002/graz0020.26m.gz')
  rmSync(join(service.archive, day), { recursive: true })
  const get = () => service.app.inject(`/rinex/data/${day}/${dayFile}`)
  t.equal((await get()).statusCode, 404)
  await service.writer.apply([change(day, { withheldSinceUs: 1 })])
  const before = service.log.length
  for (let n = 0; n < 3; n++) {
    const answer = await get()
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['retry-after'], '60')
  }
  const lines = service.log.slice(before).filter(({ level }) => Number(level) >= 40)
  t.match(lines, exact([{ msg: /withheld/, path: day }]))
  t.equal(lines.length, 1)
  await service.writer.apply([change(day, {})])
  t.equal((await get()).statusCode, 404, 'no longer withheld')
})
