/** Intervals and periods: what is expected, short, long, of another date or interval. */
import t from '../../tap.ts'
import { flagsOf } from '../reading.ts'
import { at, file, first, hourly, interval, ofStep, read, steps } from './cases.ts'

t.test(
  'the interval is that of the name, else of the header, else the most frequent step',
  async (t) => {
    const cases = [
      { title: 'name', name: hourly, made: file(at(steps(120, 30))), expected: 120 },
      {
        title: 'header',
        name: ofStep,
        made: file(at([0, 10]), interval('    10.000')),
        expected: 360,
      },
      { title: 'ten steps', name: ofStep, made: file(at(steps(11, 15))), expected: 240 },
      { title: 'nine steps', name: ofStep, made: file(at(steps(10, 15))), expected: undefined },
      {
        title: '0',
        name: ofStep,
        made: file(at(steps(11, 15)), interval('     0.000')),
        expected: 240,
      },
      {
        title: 'below 0',
        name: ofStep,
        made: file(at(steps(11, 5)), interval('    -1.000')),
        expected: 720,
      },
      {
        title: 'no number',
        name: ofStep,
        made: file(at(steps(11, 5)), interval('   thirty')),
        expected: 720,
      },
      {
        title: 'of equals the smaller',
        name: ofStep,
        made: file(at([...steps(11, 20), ...steps(10, 10, 210)])),
        expected: 360,
      },
      {
        title: 'of equals the smaller, which is first',
        name: ofStep,
        made: file(at([...steps(11, 10), ...steps(10, 20, 120)])),
        expected: 360,
      },
      {
        title: 'the most frequent',
        name: ofStep,
        made: file(at([...steps(10, 10), ...steps(12, 20, 110)])),
        expected: 180,
      },
      {
        title: '5 Hz in the name',
        name: 'GRAZ00AUT_R_20240010000_15M_05Z_MO.rnx.gz',
        made: file(at(steps(20, 0.2))),
        expected: 4500,
      },
      {
        title: '200 Hz in the name',
        name: 'GRAZ00AUT_R_20240010000_01M_02C_MO.rnx.gz',
        made: file(at(steps(20, 0.005))),
        expected: 12_000,
      },
      {
        title: 'unspecified in the name',
        name: 'GRAZ00AUT_R_20240010000_01H_00U_MO.rnx.gz',
        made: file(at(steps(11, 15))),
        expected: 240,
      },
    ]
    for (const { title, name, made, expected } of cases) {
      const facts = read(made, name)
      t.equal(facts.expected_epochs, expected, title)
      t.equal(facts.share === undefined, expected === undefined, `${title}: share`)
      if (expected !== undefined)
        t.match(facts.share, Math.min(1, (facts.epochs ?? 0) / expected), `${title}: share`)
      else t.notOk(flagsOf(facts).includes('short'), title)
    }
  },
)

t.test('the expected epochs are those of the named period', async (t) => {
  const long = (start: string, period: string) =>
    `GRAZ00AUT_R_2024001${start}_${period}_30S_MO.rnx.gz`
  const cases = [
    { name: long('0000', '01D'), epochs: at(steps(20, 30)), expected: 2880 },
    { name: long('1000', '01D'), epochs: at(steps(20, 30, 36_000)), expected: 14 * 120 },
    { name: long('1000', '01D'), epochs: at([36_000, 86_370]), expected: 14 * 120 },
    { name: long('1000', '01D'), epochs: at([36_000, 86_430]), expected: 2880 },
    { name: long('1000', '02H'), epochs: at(steps(20, 30, 36_000)), expected: 240 },
    { name: long('0000', '00U'), epochs: at(steps(20, 30)), expected: undefined },
    { name: 'graz0010.24o.gz', epochs: at(steps(20, 30)), expected: 2880 },
    { name: 'graz001b.24o.gz', epochs: at(steps(20, 30, 3600)), expected: 120 },
    { name: 'graz001b15.24o.gz', epochs: at(steps(20, 30, 4500)), expected: 30 },
    { name: 'graz0011.24o.gz', epochs: at(steps(20, 30)), expected: undefined },
  ]
  for (const { name, epochs, expected } of cases) {
    const facts = read(file(epochs), name)
    t.equal(facts.expected_epochs, expected, name)
    t.notOk(
      facts.flags.some(({ flag }) => flag === 'date'),
      name,
    )
  }
})

t.test('a share below 95 % is short', async (t) => {
  t.strictSame(flagsOf(read(file(at(steps(114, 30))))), [], '114 of 120')
  t.strictSame(flagsOf(read(file(at(steps(113, 30))))), ['short'], '113 of 120')
  const more = read(file(at(steps(121, 30))))
  t.match(more, { epochs: 121, expected_epochs: 120, share: 1 })
  t.strictSame(flagsOf(more), [], 'an epoch at the named end is inside')
})

t.test('epochs outside the named period are long, or of another date', async (t) => {
  const hour = steps(120, 30)
  const cases = [
    { title: 'at the end', epochs: [...hour, 3600], flags: '' },
    { title: 'little behind the end', epochs: [...hour, 3600.9], flags: '' },
    { title: 'behind the end', epochs: [...hour, 3601.1], flags: 'long' },
    { title: 'far behind', epochs: [...hour, 86_400], flags: 'long' },
    { title: 'little before the start', epochs: [-0.9, ...hour.slice(1)], flags: '' },
    { title: 'before the start', epochs: [-1.1, ...hour.slice(1)], flags: 'date' },
    { title: 'all at the end', epochs: steps(120, 30, 3600), flags: 'long date' },
    { title: 'the day before', epochs: steps(120, 30, -86_400), flags: 'date' },
    { title: 'the day after', epochs: steps(120, 30, 86_400), flags: 'long date' },
  ]
  for (const { title, epochs, flags } of cases)
    t.equal(flagsOf(read(file(at(epochs)))).join(' '), flags, title)
  const quick = 'GRAZ00AUT_R_20240010000_01M_10Z_MO.rnx.gz'
  const minute = steps(600, 0.1)
  t.equal(flagsOf(read(file(at([...minute, 60.04])), quick)).join(' '), '', 'half an interval')
  t.equal(flagsOf(read(file(at([...minute, 60.06])), quick)).join(' '), 'long', 'half an interval')
})

t.test('times of GLONASS and BeiDou may be 20 seconds apart', async (t) => {
  const hour = steps(119, 30)
  for (const system of ['GLO', 'BDT']) {
    const made = (extra: number[]) => file(at(extra), { header: [first(system)] })
    t.equal(flagsOf(read(made([-18, ...hour]))).join(' '), '', `${system} before the start`)
    t.equal(flagsOf(read(made([-22, ...hour]))).join(' '), 'date', `${system} before the start`)
    t.equal(flagsOf(read(made([...hour, 3618]))).join(' '), '', `${system} behind the end`)
    t.equal(flagsOf(read(made([...hour, 3622]))).join(' '), 'long', `${system} behind the end`)
  }
  const other = file(at([-18, ...hour]), { header: [first('GPS')] })
  t.equal(flagsOf(read(other)).join(' '), 'date', 'GPS')
  t.equal(read(other).time_system, 'GPS')
})

t.test('a file from which an hour is missing at its start is short and nothing else', async (t) => {
  const name = 'GRAZ00AUT_R_20240010000_01D_30S_MO.rnx.gz'
  t.equal(flagsOf(read(file(at(steps(2400, 30, 3600))), name)).join(' '), 'short')
})

t.test('two of name, header and steps differ', async (t) => {
  const cases = [
    { title: 'all the same', step: 30, text: '    30.000', flags: '' },
    { title: 'header', step: 30, text: '    15.000', flags: 'interval' },
    { title: 'header by less than 1 %', step: 30, text: '    30.200', flags: '' },
    { title: 'header by more than 1 %', step: 30, text: '    30.400', flags: 'interval' },
    { title: 'header 0', step: 30, text: '     0.000', flags: '' },
    { title: 'steps', step: 15, text: '    30.000', flags: 'interval' },
    { title: 'steps by less than 1 %', step: 29.8, text: '    30.000', flags: '' },
  ]
  for (const { title, step, text, flags } of cases)
    t.equal(flagsOf(read(file(at(steps(119, step)), interval(text)))).join(' '), flags, title)
  const quick = 'GRAZ00AUT_R_20240010000_01M_50Z_MO.rnx.gz'
  const made = (text: string) => file(at(steps(3000, 0.02)), interval(text))
  t.equal(flagsOf(read(made('     0.021'), quick)).join(' '), '', '1 ms')
  t.equal(flagsOf(read(made('     0.023'), quick)).join(' '), 'interval', '3 ms')
  const bare = (text: string) => read(file(at(steps(120, 30)), interval(text)), ofStep)
  t.equal(flagsOf(bare('    30.000')).join(' '), '', 'header and steps')
  t.equal(flagsOf(bare('    31.000')).join(' '), 'interval', 'header and steps')
})
