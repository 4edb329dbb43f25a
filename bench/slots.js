/**
 * The files of each directory of a generated tree: one slot for each file, with the same stations
 * in all directories.
 */
import { hourLetter, longName, shortName } from '../fixtures/names.js'
import { randomFrom } from '../fixtures/random.js'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lettersAndDigits = `${letters}0123456789`
const countries = [
  'AUS',
  'AUT',
  'BEL',
  'BRA',
  'CAN',
  'CHE',
  'CHL',
  'CZE',
  'DEU',
  'ESP',
  'FIN',
  'FRA',
].concat(['GBR', 'GRC', 'ITA', 'JPN', 'NLD', 'NOR', 'NZL', 'POL', 'PRT', 'SWE', 'USA', 'ZAF'])
const shortShare = 0.15
const streamShare = 0.2

// Eight of ten slots are observation files; the last two are navigation and meteorological files of
// the station before.
const observation = { content: 'MO', interval: '30S', extension: 'crx', letter: 'd' }
const navigation = { content: 'MN', interval: undefined, extension: 'rnx', letter: 'n' }
const meteorological = { content: 'MM', interval: '10M', extension: 'rnx', letter: 'm' }
const kinds = [...Array(8).fill(observation), navigation, meteorological]

function nextStation(random, taken) {
  const one = (list) => list[Math.floor(random() * list.length)]
  const tail = () => one(lettersAndDigits)
  let site
  do site = one(letters) + tail() + tail() + tail()
  while (taken.has(site))
  taken.add(site)
  const isShort = random() < shortShare
  return {
    isShort,
    station: isShort ? site.toLowerCase() : `${site}00${one(countries)}`,
    source: random() < streamShare ? 'S' : 'R',
    /** When the file arrives, as a fraction of the arrival time of the directory. */
    delay: random(),
  }
}

/** The slots of a directory, the same for the same seed. */
export function makeSlots(count, seed) {
  const random = randomFrom(`stations ${seed}`)
  const taken = new Set()
  let station
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length]
    if (kind === observation) station = nextStation(random, taken)
    return { ...station, ...kind }
  })
}

/** The name of the file of a slot in a directory, `{ area, year, day, hour }`. */
export function slotName(slot, { area, year, day, hour }) {
  const { station, source, content, interval, extension, letter } = slot
  const isDaily = area === 'obs'
  if (slot.isShort) {
    const session = isDaily ? '0' : hourLetter(hour)
    return shortName({ station, year, day, session, letter })
  }
  const period = isDaily ? '01D' : '01H'
  const start = { year, day, hour, minute: 0 }
  return longName({ station, source, ...start, period, interval, content, extension })
}
