/** The places of stations (`stations_file`). */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { faultsOf } from '../../src/config/checks.ts'
import { readStationsFile } from '../../src/config/stations-file.ts'
import { StationPlaces } from '../../src/series/station-places.ts'
import { testFolder } from '../folder.ts'
import { kept, programLine } from '../program.ts'
import t, { exact } from '../tap.ts'
import { until } from '../until.ts'

function read(t: Test, text: string | Buffer) {
  const path = join(testFolder(t), 'stations.csv')
  writeFileSync(path, text)
  return readStationsFile(path)
}

const long = 'Ω'.repeat(60)
const graz = { code: 'GRAZ00AUT', latitude: 47.067, longitude: 15.493 }

/** Lines, and the place in each. */
const good: readonly (readonly [line: string, place: object])[] = [
  ['GRAZ00AUT,47.067,15.493', graz],
  ['graz00aut, 47.067 ,15.493,', graz],
  [' Graz00Aut,+47.067,15.493, Graz ', { ...graz, name: 'Graz' }],
  ['GRAZ00AUT,47.067,15.493,"Graz, ""Lustbühel"""', { ...graz, name: 'Graz, "Lustbühel"' }],
  [`GRAZ00AUT,47.067,15.493,the "old" site`, { ...graz, name: 'the "old" site' }],
  ['GRAZ00AUT,47.067,15.493,<b onclick=x>&amp;', { ...graz, name: '<b onclick=x>&amp;' }],
  [`GRAZ00AUT,47.067,15.493,\u202e${long}`, { ...graz, name: `\u202e${long}` }],
  ['"MATE","40.649","16.704"', { code: 'MATE', latitude: 40.649, longitude: 16.704 }],
  ['SAMO,-13.85,188.26', { code: 'SAMO', latitude: -13.85, longitude: 188.26 - 360 }],
  ['FAA1,-17.555,-149.614', { code: 'FAA1', latitude: -17.555, longitude: -149.614 }],
  ['AMU2,-90,0', { code: 'AMU2', latitude: -90, longitude: 0 }],
]

/** Lines, and what is wrong with each. */
const wrong: readonly (readonly [line: string, fault: string])[] = [
  ['GRAZ', 'latitude must be a number from -90 to 90, such as 47.067'],
  ['GRAZ,47', 'longitude must be a number from -180 to 360, such as 15.493'],
  ['GRAZ0,47,15', 'code must have 4 or 9 letters and digits'],
  ['GRÄZ,47,15', 'code must have 4 or 9 letters and digits'],
  ['GRAZ;47,067;15,493', 'code must have 4 or 9 letters and digits'],
  ['GRAZ,90.1,15', 'latitude must be a number from -90 to 90, such as 47.067'],
  ['GRAZ,47°,15', 'latitude must be a number from -90 to 90, such as 47.067'],
  ['GRAZ,1e1,15', 'latitude must be a number from -90 to 90, such as 47.067'],
  ['GRAZ,47,-180.5', 'longitude must be a number from -180 to 360, such as 15.493'],
  ['GRAZ,47,361', 'longitude must be a number from -180 to 360, such as 15.493'],
  ['GRAZ,47,', 'longitude must be a number from -180 to 360, such as 15.493'],
  ['GRAZ,0,0.0', 'latitude and longitude are 0: leave out what is not known'],
  ['GRAZ,47,15,Graz, Austria', 'more than four fields: put a name with commas in double quotes'],
  ['GRAZ,47,15,"Graz', 'a quote has no end, or text follows it'],
  ['GRAZ,47,15,"Graz" Austria', 'a quote has no end, or text follows it'],
  ['GRAZ,47,15,a\tb', 'name must have at most 200 characters, without control characters'],
  [
    `GRAZ,47,15,${'x'.repeat(201)}`,
    'name must have at most 200 characters, without control characters',
  ],
]

t.test('a line has a code, degrees, and perhaps a name', async (t) => {
  for (const [line, place] of good)
    t.strictSame(read(t, line), { places: [place], faults: [] }, line)
})

t.test('a fault is named with its line, and all other lines are used', async (t) => {
  for (const [line, fault] of wrong) {
    const text = `code,latitude,longitude\r\n${line}\r\n\r\nGRAZ00AUT,47.067,15.493\r\n`
    t.strictSame(read(t, text), { places: [graz], faults: [`line 2: ${fault}`] }, line)
  }
  const twice = read(t, 'GRAZ,47,15\nMATE,40,16\ngraz,48,15')
  t.match(twice.places, exact([{ latitude: 47 }, { code: 'MATE' }]))
  t.strictSame(twice.faults, ['line 3: GRAZ is in line 1 already'])
})

t.test('a heading, a byte order mark and bytes of another file do no harm', async (t) => {
  t.match(read(t, '\uFEFFCode,Latitude,Longitude,Name\nGRAZ,47,15'), {
    places: exact([{ code: 'GRAZ' }]),
    faults: exact([]),
  })
  t.match(read(t, '\uFEFFGRAZ,47,15').places, exact([{ code: 'GRAZ' }]))
  const { places, faults } = read(t, Buffer.from('\x1f\x8b\xff\n'.repeat(1000), 'latin1'))
  t.strictSame(places, [])
  t.equal(faults.length, 21)
  t.equal(faults.at(-1), '980 more lines are wrong')
  t.strictSame(read(t, ''), { places: [], faults: [] })
  t.strictSame(readStationsFile(undefined), { places: [], faults: [] })
})

t.test('a file that cannot be read is a fault of the configuration', async (t) => {
  const folder = testFolder(t)
  const faultOf = (name: string) => faultsOf(() => readStationsFile(join(folder, name)))
  const key = 'stations_file'
  t.match(
    faultOf('none'),
    exact([{ key, message: /^stations_file cannot be read: ENOENT, set it to a file/ }]),
  )
  mkdirSync(join(folder, 'directory'))
  t.match(faultOf('directory'), exact([{ key, message: 'stations_file must be a file' }]))
})

t.test('check-config names the lines that are left out', async (t) => {
  const path = join(testFolder(t), 'stations.csv')
  writeFileSync(path, 'GRAZ,47,15\nMATE,north,east\n')
  const check = (command: string, file: string) => {
    const line = ['check-config', command, '--archive', testFolder(t), '--stations-file', file]
    const [program, args] = programLine(line)
    return spawnSync(program, args, { env: { ...kept }, encoding: 'utf8' })
  }
  const warning = `# WARNING: stations_file ${JSON.stringify(path)} line 2: latitude must be`
  t.match(check('start', path), { status: 0, stdout: warning })
  t.notMatch(check('index', path).stdout, 'WARNING: stations_file')
  t.match(check('serve', `${path}.none`), { status: 78, stderr: 'stations_file cannot be read' })
})

t.test('the log of the API names the lines, and it starts', async (t) => {
  const folder = testFolder(t, { archive: { obs: {} }, 's.csv': 'GRAZ,47,15\nMATE,north,east\n' })
  const files = ['--archive', 'archive', '--database', 'c.db', '--stations-file', 's.csv']
  const child = spawn(...programLine(['serve', ...files, '--port', '0']), { cwd: folder })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()))
  t.teardown(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit')
  })
  await until('it listens', () => text.includes('"listening"'))
  t.match(text, '"level":"warn"')
  t.match(text, '"msg":"stations_file line 2: latitude must be a number from -90 to 90')
})

t.test(
  'a code of 4 characters and one of 9 are the same station, if there is but one',
  async (t) => {
    const at = (code: string, latitude: number) => ({ code, latitude, longitude: 0 })
    const places = new StationPlaces([
      at('GRAZ', 1),
      at('GRAZ01AUT', 2),
      at('MATE00ITA', 3),
      at('NYA100NOR', 4),
      at('NYA101NOR', 5),
    ])
    const found = ['GRAZ', 'GRAZ00AUT', 'GRAZ01AUT', 'MATE', 'MATE01ITA', 'NYA1', 'NYA101NOR']
    t.strictSame(
      found.map((code) => places.of(code)?.latitude),
      [1, 1, 2, 3, undefined, undefined, 5],
    )
  },
)
