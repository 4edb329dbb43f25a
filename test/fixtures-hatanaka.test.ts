/**
 * Checks the Hatanaka-compressed fixtures by decoding them: the decoder is written from the format's
 * description and shares no code with the encoder.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'

const archive = 'fixtures/archive'

interface Satellite {
  /** For each field the value and its differences; empty where the field is blank. */
  readonly arcs: readonly (readonly number[])[]
  readonly flags: string
}

interface Form {
  readonly isShort: boolean
  readonly typeCount: number
}

/** A text from its predecessor and the difference: a blank keeps a character, `&` blanks it. */
function repair(before: string, difference: string): string {
  return Array.from({ length: Math.max(before.length, difference.length) }, (_, at) => {
    const change = difference[at] ?? ' '
    if (change === '&') return ' '
    return change === ' ' ? (before[at] ?? ' ') : change
  }).join('')
}

/** `3&value` begins an arc of third order; any other number is the highest difference so far. */
function recover(number: string, before: readonly number[]): number[] {
  if (number === '') return []
  if (number.startsWith('3&')) return [Number(number.slice(2))]
  if (before.length === 0) throw new Error(`${number} continues an arc that never began`)
  const order = Math.min(before.length, 3)
  const arc = [...before.slice(0, order), Number(number)]
  for (let at = order - 1; at >= 0; at -= 1) arc[at] = (arc[at + 1] ?? 0) + (before[at] ?? 0)
  return arc
}

/** In CRINEX 1 the flags of a blank field are blank without a word; CRINEX 3 marks them. */
function nextSatellite(line: string, before: Satellite | undefined, form: Form): Satellite {
  const parts = line.split(' ')
  const arcs = Array.from({ length: form.typeCount }, (_, at) =>
    recover(parts[at] ?? '', before?.arcs[at] ?? []),
  )
  const change = parts.slice(form.typeCount).join(' ')
  const flags = repair(before?.flags ?? '', change).padEnd(2 * form.typeCount)
  const pairs = arcs.map((arc, at) =>
    form.isShort && arc.length === 0 ? '  ' : flags.slice(2 * at, 2 * at + 2),
  )
  return { arcs, flags: pairs.join('') }
}

function fieldTexts({ arcs, flags }: Satellite): string[] {
  return arcs.map(([value], at) => {
    const number = value === undefined ? '' : (value / 1000).toFixed(3)
    return number.padStart(14) + flags.slice(2 * at, 2 * at + 2)
  })
}

function inGroups<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  )
}

/** Number of observation types: of each system in RINEX 3, of all (under a blank) in RINEX 2. */
function typeCounts(header: readonly string[]): Map<string, number> {
  const lines = header.filter((line) => /TYPES/.test(line.slice(60)))
  return new Map(lines.map((line) => [line[0] ?? '', Number(line.slice(1, 6))]))
}

function epochLines(isShort: boolean, epoch: string, ids: readonly string[]): string[] {
  if (!isShort) return [epoch.slice(0, 35)]
  return inGroups(ids, 12).map((list, index) => {
    return (index === 0 ? epoch.slice(0, 32) : ' '.repeat(32)) + list.join('')
  })
}

function satelliteLines(isShort: boolean, id: string, satellite: Satellite): string[] {
  const fields = fieldTexts(satellite)
  return isShort ? inGroups(fields, 5).map((group) => group.join('')) : [id + fields.join('')]
}

/** Plain RINEX from CRINEX, without trailing blanks. */
function decompress(text: string): string {
  const lines = text.trimEnd().split('\n')
  const isShort = (lines[0] ?? '').startsWith('1.0')
  const end = lines.findIndex((line) => line.slice(60) === 'END OF HEADER') + 1
  const output = lines.slice(2, end)
  const counts = typeCounts(output)
  let epoch = ''
  let known = new Map<string, Satellite>()
  for (let at = end; at < lines.length; at += 2 + known.size) {
    const change = lines[at] ?? ''
    epoch = repair(/^[&>]/.test(change) ? '' : epoch, change)
    const ids = epoch.slice(isShort ? 32 : 41).match(/\S{3}/g) ?? []
    const announced = isShort ? epoch.slice(29, 32) : epoch.slice(32, 35)
    if (ids.length !== Number(announced)) throw new Error(`${announced} satellites in: ${epoch}`)
    const before = known
    known = new Map(
      ids.map((id, index) => {
        const form = { isShort, typeCount: counts.get(isShort ? ' ' : id.slice(0, 1)) ?? 0 }
        return [id, nextSatellite(lines[at + 2 + index] ?? '', before.get(id), form)]
      }),
    )
    output.push(...epochLines(isShort, epoch, ids))
    for (const [id, satellite] of known) output.push(...satelliteLines(isShort, id, satellite))
  }
  return output.map((line) => `${line.trimEnd()}\n`).join('')
}

function read(path: string): string {
  return gunzipSync(readFileSync(join(archive, path))).toString('latin1')
}

t.test('a compressed file has the content of its plain counterpart', async (t) => {
  const name = 'obs/2024/366/GRAZ00AUT_R_20243660000_01D_30S_MO'
  t.equal(decompress(read(`${name}.crx.gz`)), read(`${name}.rnx.gz`), 'CRINEX 3.0')
  const short = 'obs/2024/366/graz3660.24'
  t.equal(decompress(read(`${short}d.gz`)), read(`${short}o.gz`), 'CRINEX 1.0')
})

t.test('every compressed file gives plausible ranges', async (t) => {
  const paths = readdirSync(archive, { recursive: true, encoding: 'utf8' })
  const compressed = paths.filter((path) => /(\.crx|\.\d\dd)\.gz$/i.test(path))
  t.ok(compressed.length > 30)
  for (const path of compressed) {
    const [, data = ''] = decompress(read(path)).split(/END OF HEADER\n/)
    const values = (data.match(/\d+\.\d{3}/g) ?? []).map(Number)
    const ranges = values.filter((value) => value > 1e7 && value < 5e7)
    t.ok(ranges.length > 60, path)
    t.same(
      ranges.filter((range) => range < 2e7 || range > 2.6e7),
      [],
      path,
    )
  }
})
