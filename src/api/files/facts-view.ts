/** What is inside a file, on its page. Pure. */
import type { Facts, Flag } from '../../rinex/facts.ts'
import {
  antennaWords,
  markerWords,
  positionWords,
  receiverWords,
} from '../pages/equipment-words.ts'
import type { Child, Html } from '../pages/html.ts'
import { html } from '../pages/html.ts'
import { factList, fromHeader } from '../pages/parts.ts'
import { epochWords } from './file-words.ts'

/** A flag, and its sentence, a line each. */
export function flagsHtml(flags: readonly Flag[]): Html {
  return html`<ul class="plain">
${flags.map(({ flag, says }) => html`<li><b>${flag}</b>: ${fromHeader(says)}</li>\n`)}</ul>
`
}

const systemNames: Readonly<Record<string, string>> = {
  G: 'GPS',
  R: 'GLONASS',
  E: 'Galileo',
  C: 'BeiDou',
  J: 'QZSS',
  I: 'NavIC',
  S: 'SBAS',
  M: 'meteorological',
}

function systemWords(system: string): string {
  return systemNames[system] ?? system
}

/** What people ask of a file first: who measured what, and how much of it. */
export function insideHtml(facts: Facts | null | undefined): Child {
  if (!facts) return undefined
  const { receiver, antenna, interval_s: interval, systems, first, last } = facts
  const list = [
    { name: 'Receiver', value: receiver && fromHeader(receiverWords(receiver)) },
    { name: 'Antenna', value: antenna && fromHeader(antennaWords(antenna)) },
    { name: 'Interval of the header', value: interval === undefined ? '' : `${interval} s` },
    { name: 'Epochs', value: epochWords(facts) },
    { name: 'First epoch', value: first?.replace('T', ' ') },
    { name: 'Last epoch', value: last?.replace('T', ' ') },
    { name: 'Systems', value: systems?.map(systemWords).join(', ') },
  ]
  return list.some(({ value }) => value) && factList(list)
}

/** The rest of its header, and where all of it is. */
export function headerHtml(facts: Facts | null | undefined): Html {
  const { agency, position, program, run_by, run_date, licence, doi } = facts ?? {}
  const texts = [
    { name: 'Agency', value: agency },
    { name: 'Program', value: [program, run_by, run_date].filter(Boolean).join(', ') },
    { name: 'Licence', value: licence },
    { name: 'DOI', value: doi },
  ].map(({ name, value }) => ({ name, value: value ? fromHeader(value) : '' }))
  const list = [
    { name: 'Version', value: facts?.rinex_version && fromHeader(facts.rinex_version) },
    { name: 'Marker', value: facts?.marker && fromHeader(markerWords(facts)) },
    { name: 'Position (to 10 m)', value: position && positionWords(position) },
    { name: 'Time system', value: facts?.time_system && fromHeader(facts.time_system) },
    ...texts,
  ]
  return html`${facts && factList(list)}${signalsHtml(facts)}
<p><a href="header/?format=api">The header as it is in the file</a></p>
`
}

function signalsHtml(facts: Facts | null | undefined): Child {
  const signals = Object.entries(facts?.signals ?? {})
  return (
    signals.length > 0 &&
    html`<ul class="plain">
${signals.map(([system, types]) => html`<li>${systemWords(system)}: ${fromHeader(types.join(' '))}</li>\n`)}</ul>
`
  )
}
