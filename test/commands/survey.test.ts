import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SurveyJson } from '../../src/commands/survey/json.ts'
import { Tally } from '../../src/commands/survey/tally.ts'
import { testFolder } from '../folder.ts'
import { programLine } from '../program.ts'
import t, { exact } from '../tap.ts'

function makeTree(t: Tap, paths: readonly string[]): string {
  const root = testFolder(t)
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
  return root
}

type Tap = Parameters<typeof testFolder>[0]

function run(directory: string, ...flags: string[]): { code: number | null; text: string } {
  const [command, args] = programLine(['survey', directory, ...flags])
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  return { code: status, text: stdout + stderr }
}

const surveyOf = (directory: string): SurveyJson =>
  JSON.parse(run(directory, '--json').text) as SurveyJson

t.test('it counts what a tree of several layouts has', async (t) => {
  const root = makeTree(t, [
    'gnss/data/daily/2024/101/24d/graz1010.24d.gz',
    'gnss/data/daily/2006/073/06d/graz0730.06d.Z',
    'gnss/data/daily/2024/101/24d/GRAZ00AUT_R_20241010000_01D_30S_MO.crx.gz',
    'gnss/data/daily/2024/102/24n/brdc1010.24n.gz',
    'gnss/data/hourly/2024/101/05/ZIMM00CHE_R_20241010500_01H_30S_MO.crx.gz',
    'gnss/data/hourly/2024/101/05/zimm101f.24m',
    'gnss/data/daily/2024/101/24d/graz1010.24S.gz',
    'gnss/data/daily/2024/101/24d/zimm1010.24S.gz',
    'gnss/data/daily/2024/101/graz.zip',
    'gnss/a b/graz1010.24d.gz',
  ])
  symlinkSync('..', join(root, 'gnss/loop'))
  const found = surveyOf(root)
  t.match(found, {
    names: 9,
    stations: 5,
    files: {
      count: 6,
      by_form: { r2: 4, r3: 2 },
      by_type: { o: 4, n: 1, m: 1 },
      by_period: { d: 4, h: 2 },
      by_year: { 2006: 1, 2024: 5 },
      by_suffix: { '': 1, '.Z': 1, '.gz': 4 },
    },
    misplaced: { count: 1, examples: exact(['gnss/data/daily/2024/102/24n/brdc1010.24n.gz']) },
    not_read: {
      'bad-directory-name': { count: 1, examples: exact(['gnss/a b']) },
      symlink: { count: 1, examples: exact(['gnss/loop']) },
    },
    configuration: exact({ areas: ['gnss'], suffixes: ['.gz', '.Z', ''], exclude: [] }),
  })
  t.strictSame(found.rejected.count, 3)
  t.strictSame(found.rejected.suffixes.slice(0, 2), [
    { suffix: '.yyS.gz', count: 2 },
    { suffix: '.zip', count: 1 },
  ])
  t.strictSame(found.rejected.directories[0], {
    directory: 'gnss/data/daily/2024/101/24d/',
    count: 2,
  })
  const { code, text } = run(root)
  t.equal(code, 0)
  t.match(text, /9 names in \d+ directories/)
  t.match(
    text,
    /RINEX files: 6 of 5 stations\n  suffixes  \.gz 4, plain 1, \.Z 1\n  forms     short names 4, long names 2\n/,
  )
  t.match(text, /years     2006 1, 2024 5\n/)
  t.match(
    text,
    /types     observation 4, meteorological 1, navigation 1\n  periods   day 4, hour 2\n/,
  )
  t.match(text, /Names that are not listed: 3\n  by reason:\n/)
  t.match(text, / {2}1 {2}an archive of files\n/)
  t.match(text, /\n {2}by suffix \(yy: [^\n]*:\n +2 {2}\.yyS\.gz\n/)
  t.match(text, /not read \(the name of the directory is not valid\): 1\n  gnss\/a b\n/)
  t.match(text, /not read \(a symbolic link that may not be followed\): 1\n  gnss\/loop\n/)
  t.match(text, /\nareas = \["gnss"\]\nsuffixes = \["\.gz", "\.Z", ""\]\n$/)
})

type Case = [paths: string[], configuration: SurveyJson['configuration']]

t.test('paths that are no dates as we read them', async (t) => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => `2023/${String(n).padStart(4, 's')}1010.24d.gz`)
  const { text } = run(makeTree(t, many(99)))
  t.match(text, /of another date, listed but misplaced: 99\n  2023\//)
  t.match(run(makeTree(t, many(100))).text, /to be dates: none is misplaced: 100\n  2023\//)
})

t.test('the configuration that it proposes', async (t) => {
  const name = 'graz1010.24d.gz'
  const raw = Array.from({ length: 1000 }, (_, at) => `raw/${at}.dat`)
  const cases: Case[] = [
    [[`obs/2024/101/${name}`], { areas: ['obs', 'nrt'], suffixes: ['.gz'], exclude: [] }],
    [[`pub/x/${name}`, `igs/${name}`], { areas: ['igs', 'pub'], suffixes: ['.gz'], exclude: [] }],
    [[`2024/101/${name}`], { areas: ['.'], suffixes: ['.gz'], exclude: [] }],
    [[`GRAZ00AUT/2024/graz1010.24d.Z`], { areas: ['.'], suffixes: ['.Z'], exclude: [] }],
    [[`graz/2024/${name}`], { areas: ['.'], suffixes: ['.gz'], exclude: [] }],
    [[`AUT/GRAZ/2024/${name}`], { areas: ['.'], suffixes: ['.gz'], exclude: [] }],
    ...'wk2309 2024-04 DOY101 d101 RefData.24 Apr april GRAZ_11001M002 graz-hill'
      .split(' ')
      .map((directory): Case => [
        [`${directory}/x/${name}`],
        { areas: ['.'], suffixes: ['.gz'], exclude: [] },
      ]),
    [
      [`30s/${name}`, `rinex3_1s/${name}`],
      { areas: ['30s', 'rinex3_1s'], suffixes: ['.gz'], exclude: [] },
    ],
    [[name, `old/${name}`, ...raw], { areas: ['.'], suffixes: ['.gz'], exclude: ['/raw/'] }],
    [['README'], null],
  ]
  for (const [paths, configuration] of cases)
    t.strictSame(surveyOf(makeTree(t, paths)).configuration, configuration, paths.at(0) ?? '')
})

t.test('a tree without files, and what is no directory', async (t) => {
  t.match(run(makeTree(t, ['README'])).text, 'There is no file that the catalogue would list.')
  const none = join(testFolder(t), 'none')
  const said = (words: string) => ({ code: 1, text: `rinex-catalogue: ${words}\n` })
  t.same(run(none), said(`"${none}" is not there`))
  t.same(run(''), said('"" is not there'))
  t.same(run('package.json'), said('"package.json" is not a directory'))
})

t.test('what this user cannot read', async (t) => {
  const root = makeTree(t, ['secret/graz1010.24d.gz', 'zimm1010.24d.gz'])
  chmodSync(join(root, 'secret'), 0)
  t.teardown(() => {
    chmodSync(join(root, 'secret'), 0o700)
  })
  const asOther = (directory: string) => {
    const [command, args] = programLine(['survey', directory])
    const { status, stdout, stderr } = spawnSync(command, args, {
      encoding: 'utf8',
      ...(process.getuid?.() === 0 && { uid: 65_534 }),
    })
    return { code: status, text: stdout + stderr }
  }
  const { code, text } = asOther(root)
  t.equal(code, 0)
  t.match(text, /not read \(the directory cannot be read\): 1\n  secret\n/)
  t.match(text, /RINEX files: 1 of 1 station\n/)
  const secret = JSON.stringify(join(root, 'secret'))
  t.same(asOther(join(root, 'secret')), {
    code: 1,
    text: `rinex-catalogue: ${secret} cannot be read by this user (EACCES)\n`,
  })
})

t.test('rare texts are forgotten when there are very many', async (t) => {
  const tally = new Tally()
  for (let at = 0; at < 50_000; at++) {
    tally.add(`rare ${at}`)
    tally.add('frequent')
  }
  t.equal(tally.total, 100_000)
  t.strictSame(tally.most(1), [['frequent', 50_000]])
  t.ok(tally.most(100_000).length <= 10_000)
})
