/**
 * Parses file names. The reference is one anchored regular expression that captures every part. The benchmark first checks
 * that both give the same result for every name.
 */
import { parseFilename } from '../dist/parse/filename.js'
import { fuzzedNames, realisticNames } from './parse-filename/names.js'
import { matchFilename } from './parse-filename/match-filename.js'

export const description = 'file names read by position, against a regular expression'

const rounds = 15
const suspectNs = 50_000

export async function run({ print }) {
  const names = realisticNames(200_000)
  assertSame(names)
  const ours = []
  const reference = []
  for (let round = 0; round < rounds; round++) {
    // The order alternates, so that a busy machine disturbs both equally.
    const parsers = [parseFilename, matchFilename]
    if (round % 2 === 1) parsers.reverse()
    for (const parse of parsers) {
      const samples = parse === parseFilename ? ours : reference
      samples.push(nsPerName(parse, names))
    }
  }
  print(`${names.length} names, ${rejectedPercent(names)} % of them rejected; CPU ns per name`)
  print(`by position          ${summary(ours)}`)
  print(`regular expression   ${summary(reference)}`)
  print(`ratio                ${(median(ours) / median(reference)).toFixed(2)}`)
  runFuzzed(print)
}

/** Almost valid names and random bytes: their mean and worst time. */
function runFuzzed(print) {
  const names = fuzzedNames(1_000_000)
  assertSame(names)
  print(
    `${names.length} malformed names, ${rejectedPercent(names)} % of them rejected; ns per name`,
  )
  print(`mean                 ${nsPerName(parseFilename, names).toFixed(0)}`)
  const { met, again } = worst(names)
  print(`worst                ${met} at the first time, ${again} when repeated`)
}

/**
 * The slowest call. `met` includes pauses of the machine and of the garbage collector; `again` excludes them: it parses the
 * slow names three more times and takes the fastest.
 */
function worst(names) {
  let met = 0
  let again = 0
  for (const name of names) {
    const ns = nsOnce(name)
    met = Math.max(met, ns)
    if (ns > suspectNs) again = Math.max(again, Math.min(nsOnce(name), nsOnce(name), nsOnce(name)))
  }
  return { met, again: again === 0 ? `below ${suspectNs}` : again }
}

function nsOnce(name) {
  const start = process.hrtime.bigint()
  parseFilename(name)
  return Number(process.hrtime.bigint() - start)
}

/** CPU time of all threads: includes the garbage collection of a parser, but no other program. */
function nsPerName(parse, names) {
  let parsed = 0
  const start = process.cpuUsage()
  for (const name of names) if (parse(name).kind === 'parsed') parsed++
  const { user, system } = process.cpuUsage(start)
  if (parsed > names.length)
    throw new Error('never, but it keeps the loop from being optimised away')
  return ((user + system) * 1000) / names.length
}

function rejectedPercent(names) {
  const rejected = names.filter((name) => parseFilename(name).kind === 'rejected')
  return ((100 * rejected.length) / names.length).toFixed(1)
}

function assertSame(names) {
  for (const name of names) {
    const ours = JSON.stringify(parseFilename(name))
    const reference = JSON.stringify(matchFilename(name))
    if (ours !== reference) throw new Error(`${JSON.stringify(name)}: ${ours} is not ${reference}`)
  }
}

function summary(samples) {
  const [low, high] = [Math.min(...samples), Math.max(...samples)]
  return `${median(samples).toFixed(0)} (${low.toFixed(0)}–${high.toFixed(0)})`
}

function median(samples) {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]
}
