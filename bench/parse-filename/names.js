/** File names for benchmarks, the same in every run. */

const stations = ['GRAZ00AUT', 'ZIMM00CHE', 'BRUX00BEL', 'WTZR00DEU', 'NYA100NOR', 'MATE00ITA']
const rejectedEndings = ['.Z', '.gz.md5', '.gz.filepart', '.sum.gz']
const products = ['IGS0OPSFIN_20261200000_01D_15M_ORB.SP3.gz', 'COD20352.CLK.gz', 'AKUR173j.T02.gz']

/** Names like those of a day in a large archive: mostly long names, short names, and a few invalid ones. */
export function realisticNames(count) {
  const random = randomNumbers(2026)
  return Array.from({ length: count }, () => flat(realisticName(random)))
}

function realisticName(random) {
  const station = pick(stations, random)
  const day = padded(1 + random(365), 3)
  const hour = padded(random(24), 2)
  const kind = random(100)
  if (kind < 30) return `${station}_R_2026${day}${hour}00_01H_30S_MO.crx.gz`
  if (kind < 40) return `${station}_S_2026${day}${hour}15_15M_01S_MO.crx.gz`
  if (kind < 50) return `${station}_R_2026${day}0000_01D_30S_MO.crx.gz`
  if (kind < 65) return `${station}_R_2026${day}${hour}00_01H_${pick('GREM', random)}N.rnx.gz`
  if (kind < 68) return `${station}_R_2026${day}${hour}00_01H_10M_MM.rnx.gz`
  const site = station.slice(0, 4).toLowerCase()
  const session = pick('0abcdefghijklmnopqrstuvwx', random)
  const short = `${site}${day}${session}.26${pick('dddong', random)}`
  if (kind < 90) return `${short}.gz`
  if (kind < 94) return `${site}${day}${pick('abcx', random)}${pick(['00', '45'], random)}.26d.gz`
  if (kind < 97) return short + pick(rejectedEndings, random)
  return kind < 99 ? pick(products, random) : `${site}${padded(367 + random(600), 3)}0.26d.gz`
}

/** Names with one to three errors, and a few random texts of any length. */
export function fuzzedNames(count) {
  const random = randomNumbers(366)
  return Array.from({ length: count }, () => {
    if (random(20) === 0) return flat(noise(random, random(300)) + (random(2) === 0 ? '.gz' : ''))
    let name = realisticName(random)
    for (let slips = 1 + random(3); slips > 0; slips--) name = withSlip(name, random)
    return flat(name)
  })
}

function withSlip(name, random) {
  const at = random(name.length)
  const kept = random(3)
  const inserted = noise(random, random(3))
  if (random(50) === 0) return name.repeat(1 + random(6))
  return name.slice(0, at) + inserted + name.slice(at + kept)
}

function noise(random, length) {
  let text = ''
  for (let i = 0; i < length; i++) text += pick('_..GRzxyg01369é\n\uFFFD\uD83D', random)
  return text
}

/** Makes one flat string of a name, as a directory listing returns it. */
function flat(name) {
  const encoding = /^[\0-\x7f]*$/.test(name) ? 'latin1' : 'utf16le'
  return Buffer.from(name, encoding).toString(encoding)
}

function pick(choices, random) {
  return choices[random(choices.length)]
}

function padded(number, width) {
  return String(number).padStart(width, '0')
}

/** A seeded generator of integers below a limit (xorshift). */
function randomNumbers(seed) {
  let state = seed
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}
