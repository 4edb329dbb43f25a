/** Random histories of one series of files, of all kinds that archives have. */
import { fc } from '../random.ts'
import type { History, Period, Range, Rule } from './oracle.ts'

const hour = 3600
const day = 24 * hour

const lengths: Record<Period, number> = { '15M': 900, '01H': hour, '01D': day }

/** The longest history of each period in days: a slow reference must still read many of them. */
const longest: Record<Period, number> = { '15M': 60, '01H': 300, '01D': 4380 }

const seconds = (days: number): number => days * day

const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000 / day

/** A number from 0 to 1 that looks random and depends on nothing but the slot and the seed. */
const chance = (slot: number, seed: number): number => {
  const x = Math.sin(slot * 12.9898 + seed * 78.233) * 43_758.5453
  return x - Math.floor(x)
}

/** A part of a whole, all alike; the doubles of fast-check are mostly next to 0. */
const anyPart = fc.nat(1000).map((thousandths) => thousandths / 1000)

const anyHour = fc.nat(23)

/** Which slots of a stretch are delivered. */
const patterns = fc.oneof(
  { weight: 7, arbitrary: fc.constant({ kind: 'all' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'none' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('some' as const), share: anyPart }) },
  // About a half, where a series begins to be expected.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('every' as const),
      step: fc.integer({ min: 2, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('nightly' as const), from: anyHour, to: anyHour }),
  },
)

/** How the files of a stretch came: seen by a scan only, at their time, or together at its end. */
const arrivals = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'scan' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('each' as const),
      least: fc.constantFrom(
        // The file came before the end of its slot.
        -800,
        0,
        0,
        1,
        60,
        60,
        299,
        300,
        590,
        600,
        3600,
        7190,
        7200,
        40_000,
        day,
        3 * day,
      ),
      spread: fc.constantFrom(0, 2, 60, 60, 300, 600, 7200, day, 3 * day, 5 * day),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('backfill' as const), after: fc.nat(2 * day) }),
  },
)

/** A stretch of a series: an outage, a campaign, a return, years of good files. */
const stretches = (period: Period) => {
  const most = longest[period]
  const days = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 3, arbitrary: fc.integer({ min: 5, max: 40 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: Math.floor(most / 2) }) },
    // The limits of the days that a series is missed.
    { weight: 1, arbitrary: fc.constantFrom(1, 3, 4, 27, 28, 29, 89, 90, 91) },
  )
  const odd = fc.oneof(fc.constant(0), fc.nat(95))
  const one = fc.record({ days, odd, pattern: patterns, arrival: arrivals, seed: fc.nat(1000) })
  return fc.oneof(
    { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 2 }) },
    { weight: 2, arbitrary: fc.array(one, { minLength: 1, maxLength: 7 }) },
  )
}

type Stretch = ReturnType<typeof stretches> extends fc.Arbitrary<(infer One)[]> ? One : never

const isDelivered = ({ pattern, seed }: Stretch, slot: number, hourOfDay: number): boolean => {
  switch (pattern.kind) {
    case 'all':
      return true
    case 'none':
      return false
    case 'some':
      return chance(slot, seed) < pattern.share
    case 'every':
      return slot % pattern.step === 0
    case 'nightly':
      return pattern.from <= pattern.to
        ? hourOfDay >= pattern.from && hourOfDay <= pattern.to
        : hourOfDay >= pattern.from || hourOfDay <= pattern.to
  }
}

const latencyOf = ({ arrival, seed }: Stretch, slot: number, left: number): number | undefined => {
  switch (arrival.kind) {
    case 'scan':
      return undefined
    case 'each':
      return arrival.least + Math.floor(chance(slot, seed + 1) * arrival.spread)
    case 'backfill':
      return left + arrival.after
  }
}

/** All slots of the stretches from a day on, with their latencies; `end` is the slot after them. */
function deliver(period: Period, startDay: number, parts: readonly Stretch[]) {
  const length = lengths[period]
  const perDay = day / length
  const delivered = new Map<number, number | undefined>()
  const first = startDay * perDay
  let end = first
  for (const part of parts) {
    const rest = first + longest[period] * perDay - end
    const after = end + Math.min(rest, part.days * perDay + (part.odd % perDay))
    for (; end < after; end++) {
      const hourOfDay = Math.floor(((end * length) % day) / hour)
      if (!isDelivered(part, end, hourOfDay)) continue
      delivered.set(end, latencyOf(part, end, (after - 1 - end) * length))
    }
  }
  return { delivered, first, end }
}

/** Days around which calendars are difficult, and any other day. */
const startDays = fc.oneof(
  fc.integer({ min: dayOf('1994-01-01'), max: dayOf('2026-06-30') }),
  fc
    .tuple(
      fc.constantFrom('2000-02-29', '2023-12-31', '2024-02-29', '2025-02-28', '2026-12-31'),
      fc.integer({ min: 0, max: 60 }),
    )
    .map(([date, before]) => dayOf(date) - before),
)

/** Files with a wrong date: a slot, and how many files follow it. */
const misdated = fc.array(
  fc.record({
    day: fc.oneof(
      fc.integer({ min: dayOf('1980-01-06'), max: dayOf('1993-12-31') }),
      fc.integer({ min: dayOf('2030-01-01'), max: dayOf('2079-12-31') }),
      fc.constantFrom(dayOf('1980-01-06'), dayOf('1999-08-22')),
    ),
    files: fc.integer({ min: 1, max: 2 }),
    apart: fc.integer({ min: 1, max: 30 }),
    isScanned: fc.boolean(),
  }),
  { maxLength: 2 },
)

/** Where `as_of` is: a part of the history, slots and seconds later, and a second more or less. */
const clocks = fc.record({
  part: fc.oneof({ weight: 2, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: anyPart }),
  slots: fc.oneof(fc.constant(0), fc.integer({ min: -2, max: 3 })),
  seconds: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(0, 300, 600, 900, 3600, 7200, 40_000) },
    { weight: 2, arbitrary: fc.constantFrom(1, 2, 3, 4, 7, 8, 10, 28, 29, 90, 91).map(seconds) },
    // Limits of late, down and missing, with the usual latencies.
    { weight: 1, arbitrary: fc.constantFrom(300, 600, hour).map((late) => day + late) },
    { weight: 1, arbitrary: fc.constantFrom(7200, hour, day).map((late) => 3 * day + late) },
    { weight: 2, arbitrary: fc.nat(4 * day) },
    { weight: 1, arbitrary: fc.nat(120 * day) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((years) => seconds(years * 365)) },
  ),
  second: fc.constantFrom(-1, 0, 0, 1),
  /** The clock went back: there are records from after `as_of`. */
  isBack: fc.nat(9).map((number) => number === 0),
})

/** Purged stretches, as parts of the history; of these every so many slots came back. */
const purges = fc.array(
  fc.record({
    from: anyPart,
    part: fc.oneof(fc.constant(1), fc.constant(0.01), anyPart),
    returns: fc.constantFrom(2, 5, 1000, 1_000_000),
  }),
  { maxLength: 3 },
)

/**
 * Damaged files in stretches, as parts of the history, one every so many slots: alone, beside a
 * good file, or after a good one was removed.
 */
const damages = fc.array(
  fc.record({
    from: anyPart,
    part: fc.oneof(fc.constant(1), fc.constant(0.01), anyPart),
    every: fc.constantFrom(1, 1, 2, 7, 100),
    kind: fc.constantFrom('alone', 'alone', 'beside', 'after'),
  }),
  { minLength: 1, maxLength: 3 },
)

/** Lines of `expected_file`: days are counted from the first day of the history. */
const ruleLines = fc.array(
  fc.record({
    from: fc.option(fc.integer({ min: -40, max: 400 }), { nil: undefined }),
    to: fc.option(fc.integer({ min: -40, max: 4500 }), { nil: undefined }),
    hours: fc.option(
      fc.oneof(
        fc.constantFrom([0], [0, 6, 12, 18], [18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5]),
        fc.uniqueArray(anyHour, { minLength: 1 }),
      ),
      { nil: undefined },
    ),
  }),
  { minLength: 1, maxLength: 3 },
)

type RuleLine = typeof ruleLines extends fc.Arbitrary<(infer One)[]> ? One : never

const ruleOf = (line: RuleLine, firstDay: number): Rule => ({
  ...(line.from !== undefined && { fromDay: firstDay + line.from }),
  ...(line.to !== undefined && { toDay: firstDay + line.to }),
  ...(line.hours !== undefined && { hours: new Set(line.hours) }),
})

/** The range of a question: part of the history, the slots around `as_of`, or all and more. */
const ranges = fc.oneof(
  fc.record({ kind: fc.constant('part' as const), from: anyPart, to: anyPart }),
  fc.record({ kind: fc.constant('now' as const), days: fc.nat(40), after: fc.nat(100) }),
  fc.record({ kind: fc.constant('whole' as const), before: fc.nat(100), after: fc.nat(100) }),
  fc.record({ kind: fc.constant('slot' as const), at: anyPart }),
  // The days after the history, in which a series ends.
  fc.record({ kind: fc.constant('after' as const), days: fc.nat(200) }),
)

type Question = typeof ranges extends fc.Arbitrary<infer One> ? One : never

function rangeOf(
  question: Question,
  first: number,
  end: number,
  now: number,
  perDay: number,
): Range {
  const at = (part: number) => first + Math.floor(part * (end - first))
  switch (question.kind) {
    case 'part':
      return {
        from: at(Math.min(question.from, question.to)),
        to: at(Math.max(question.from, question.to)),
      }
    case 'now':
      return { from: now - question.days * perDay, to: now + question.after }
    case 'whole':
      return { from: first - question.before, to: end + question.after }
    case 'slot':
      return { from: at(question.at), to: at(question.at) }
    case 'after':
      return { from: Math.max(first, end - 10), to: end + question.days * perDay }
  }
}

/** All that makes a history of one period. */
const plans = (period: Period) =>
  fc.record({
    period: fc.constant(period),
    startDay: startDays,
    parts: stretches(period),
    /** An old archive that was read for the first time: no arrival was seen. */
    isScanned: fc.nat(4).map((number) => number === 0),
    misdated: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: misdated },
    ),
    clock: clocks,
    purges: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: purges }),
    damages: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: damages }),
    rules: fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: ruleLines },
    ),
    question: ranges,
  })

type Plan = ReturnType<typeof plans> extends fc.Arbitrary<infer One> ? One : never

function addMisdated(delivered: Map<number, number | undefined>, plan: Plan): void {
  const perDay = day / lengths[plan.period]
  for (const { day: date, files, apart, isScanned } of plan.misdated)
    for (let file = 0; file < files; file++) {
      const slot = (date + file * apart) * perDay
      if (!delivered.has(slot)) delivered.set(slot, isScanned ? undefined : 60)
    }
}

/** The slots that are still live after the purges. */
function purge(delivered: Iterable<number>, plan: Plan, first: number, end: number): Set<number> {
  const live = new Set(delivered)
  for (const { from, part, returns } of plan.purges) {
    const low = first + Math.floor(from * (end - first))
    const high = low + Math.ceil(part * (end - first))
    for (const slot of live)
      if (slot >= low && slot < high && slot % returns !== 0) live.delete(slot)
  }
  return live
}

/** Adds damaged files to slots of the history, delivered or not. @returns their slots */
function damage(
  history: Pick<History, 'live'> & { delivered: Map<number, number | undefined> },
  plan: Plan,
  { first, end }: { first: number; end: number },
): Map<number, number> {
  const [damaged, live] = [new Map<number, number>(), history.live as Set<number>]
  for (const { from, part, every, kind } of plan.damages) {
    const low = first + Math.floor(from * (end - first))
    const high = low + Math.ceil(part * (end - first))
    for (let slot = low; slot < high; slot++) {
      if (slot % every !== 0) continue
      damaged.set(slot, (slot + 1) * lengths[plan.period])
      if (kind !== 'beside') live.delete(slot)
      if (kind === 'alone') history.delivered.delete(slot)
    }
  }
  return damaged
}

/** Of some histories, a few or many slots with few epochs, live or not. */
function fewEpochs(delivered: Iterable<number>, { startDay, parts }: Plan): Set<number> {
  const every = [0, 1, 2, 7, 31][(startDay + parts.length) % 5] ?? 0
  return new Set(every === 0 ? [] : [...delivered].filter((slot) => slot % every === 0))
}

function build(plan: Plan): { history: History; range: Range } {
  const length = lengths[plan.period]
  const { delivered: all, first, end } = deliver(plan.period, plan.startDay, plan.parts)
  const { part, slots, seconds, second, isBack } = plan.clock
  const asOf = (first + Math.floor(part * (end - first)) + slots) * length + seconds + second
  const delivered = new Map<number, number | undefined>()
  for (const [slot, seen] of all) {
    const latency = plan.isScanned ? undefined : seen
    // A file may come before its slot has ended; it then has the latency 0.
    const came = (slot + (latency === 0 ? 0 : 1)) * length + (latency ?? 0)
    if (came <= asOf || isBack) delivered.set(slot, latency)
  }
  addMisdated(delivered, plan)
  const now = Math.floor(asOf / length)
  const live = purge(delivered.keys(), plan, first, end)
  const history: History = {
    period: plan.period,
    delivered,
    live,
    damaged: damage({ delivered, live }, plan, { first, end }),
    half: fewEpochs(delivered.keys(), plan),
    asOf,
    ...(plan.rules !== undefined && {
      rules: plan.rules.map((line) => ruleOf(line, plan.startDay)),
    }),
  }
  return { history, range: rangeOf(plan.question, first, end, now, day / length) }
}

/** Any history of one series, with a range of slots to ask for. */
export const histories: fc.Arbitrary<{ history: History; range: Range }> = fc
  .oneof(
    { weight: 3, arbitrary: plans('01H') },
    { weight: 2, arbitrary: plans('01D') },
    { weight: 1, arbitrary: plans('15M') },
  )
  .map(build)
