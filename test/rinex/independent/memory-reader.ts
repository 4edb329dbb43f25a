/** The thread of `memory.test.ts`: reads long texts that it makes up while it reads. */
import { parentPort, workerData } from 'node:worker_threads'
import { ContentReader } from '../../../src/rinex/content-reader.ts'
import { headerLines, labelled } from '../model.ts'
import { judged } from '../reading.ts'

const { title, megabytes } = workerData as { title: string; megabytes: number }

const modern = `${headerLines({ version: '3.04', types: { G: ['C1C'] }, entries: [] }).join('\n')}\n`
const firstLine =
  labelled('     3.04           OBSERVATION DATA    M', 'RINEX VERSION / TYPE') + '\n'
const old = `${headerLines({ version: '2.11', types: { all: ['C1'] }, entries: [] }).join('\n')}\n`
const compact = [
  labelled('3.0                 COMPACT RINEX FORMAT', 'CRINEX VERS   / TYPE'),
  labelled('program', 'CRINEX PROG / DATE'),
  modern,
].join('\n')

/** The time of an epoch that is later the higher its number is. */
function time(number: number, step: (number: number) => number): string {
  const iso = new Date(Date.UTC(2000, 0, 1) + step(number)).toISOString()
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] =
    /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):([\d.]+)Z$/.exec(iso) ?? []
  return `> ${year} ${month} ${day} ${hour} ${minute} ${second.padEnd(10, '0')}`.padEnd(29)
}

const other = (number: number) => (number * number) / 200
const satellites = (number: number) =>
  Array.from({ length: 40 }, (_, at) => `G${String((number * 7 + at) % 100).padStart(2, '0')}`)

/** Of each text its beginning, and what follows again and again. */
const makers: Readonly<Record<string, readonly [string, (number: number) => string]>> = {
  'a line without an end': [modern, () => 'x'.repeat(1000)],
  'a header without an end': [firstLine, () => labelled('x', 'COMMENT') + '\n'],
  'a header line without an end': [firstLine, () => 'x'.repeat(1000)],
  'empty lines': [modern, () => '\n'.repeat(1000)],
  'epochs with other steps each': [modern, (n) => `${time(n, other)}  0  0\n`],
  'epochs with many satellites': [
    modern,
    (n) => `${time(n, (each) => each * 1000)}  0999\n${'G01  20000000.000\n'.repeat(999)}`,
  ],
  'Compact RINEX epochs with other satellites each': [
    compact,
    (n) =>
      `${time(n, (each) => each * 1000)}  0 40      ${satellites(n).join('')}\n\n${'3&1\n'.repeat(40)}`,
  ],
  'Compact RINEX epochs that grow': [
    `${compact}${time(0, () => 0)}  0  0\n\n`,
    (n) => `${' '.repeat(40 + (n % 100_000))}x\n\n`,
  ],
  'lines that are no epochs': [modern, (n) => `line ${n}\n`],
  'events with other types each': [
    old,
    (n) =>
      `                            4  1\n${labelled('     9' + `    L${n % 10_000}`.repeat(9), '# / TYPES OF OBSERV')}\n`,
  ],
}

function read(): void {
  const [begin, next] = makers[title] ?? ['', () => '']
  const reader = new ContentReader()
  reader.push(Buffer.from(begin))
  let bytes = 0
  let number = 0
  while (bytes < megabytes * 1e6 && !reader.isSatisfied) {
    let piece = ''
    while (piece.length < 65_536) piece += next(number++)
    reader.push(Buffer.from(piece))
    bytes += piece.length
  }
  const { flags } = judged(reader.end(), 'GRAZ00AUT_R_20240010000_01H_MO.rnx.gz')
  const { arrayBuffers } = process.memoryUsage()
  parentPort?.postMessage({ bytes, buffers: arrayBuffers, flags })
}

read()
