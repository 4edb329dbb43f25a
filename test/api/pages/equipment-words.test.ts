/** Equipment, and what changed of it, in words. */
import { changeWords, receiverWords } from '../../../src/api/pages/equipment-words.ts'
import { antennaWords, markerWords, positionWords } from '../../../src/api/pages/equipment-words.ts'
import type { Equipment, Position } from '../../../src/rinex/facts.ts'
import { equipmentStretches } from '../../../src/series/equipment.ts'
import t from '../../tap.ts'

const position = (x: number): Position => ({
  x,
  y: 0,
  z: 0,
  latitude: -31.5284,
  longitude: -64.47,
  height: -12.4,
})

const before: Equipment = {
  marker: { name: 'CORD', number: '41511M001' },
  receiver: { type: 'JAVAD TRE_G3TH', serial: '02225', version: '3.7.5' },
  antenna: { type: 'JAVRINGANT_DM', radome: 'NONE', serial: '7', delta: { h: 0.0771, e: 0, n: 0 } },
  position: position(6_371_000),
}

t.test('what a header says, and does not say', async (t) => {
  t.equal(receiverWords(before.receiver), 'JAVAD TRE_G3TH 3.7.5, serial 02225')
  t.equal(receiverWords({ serial: '1' }), 'serial 1')
  t.equal(receiverWords(undefined), 'not said')
  t.equal(antennaWords(before.antenna), 'JAVRINGANT_DM NONE, serial 7, 0.0771 m up')
  const delta = { h: 0, e: -0.01, n: 2 }
  t.equal(antennaWords({ delta }), '0.0000 m up, −0.0100 m east, 2.0000 m north')
  t.equal(antennaWords({}), 'not said')
  t.equal(markerWords(before), 'CORD, 41511M001')
  t.equal(markerWords({}), 'not said')
  t.equal(positionWords(before.position), '−31.5284, −64.4700, −12 m')
  t.equal(positionWords(undefined), 'not said')
})

t.test('what changed', async (t) => {
  const { receiver, antenna, marker, position: place } = before
  const wordsOf = (after: Equipment): string => {
    const file = { type: 'o', spanSeconds: 86_400, source: 'R', isDamaged: false } as const
    const [, ...changed] = equipmentStretches(
      [before, after].map((equipment, day) => {
        return { ...file, name: '', startSeconds: day * 86_400, equipment }
      }),
    )
    return changed.flatMap(changeWords).join('; ')
  }
  for (const [after, words] of [
    [{ receiver: { ...receiver, version: '4.0' } }, 'firmware 4.0 (was 3.7.5)'],
    [
      { receiver: { type: 'JAVAD TRE_G3TH', serial: '3' } },
      'serial of the receiver 3 (was 02225), firmware not said (was 3.7.5)',
    ],
    [
      { receiver: { type: 'SEPT POLARX5', serial: '3', version: '5.5.0' } },
      'receiver SEPT POLARX5 (was JAVAD TRE_G3TH)',
    ],
    [{ antenna: { ...antenna, radome: 'SCIT' } }, 'radome SCIT (was NONE)'],
    [
      { antenna: { ...antenna, serial: '8', delta: { h: 0.1, e: 0, n: 0 } } },
      'serial of the antenna 8 (was 7), place of the antenna 0.1000 m up (was 0.0771 m up)',
    ],
    [{ antenna: { type: 'TRM57971.00' } }, 'antenna TRM57971.00 (was JAVRINGANT_DM)'],
    [{ marker: { name: 'CORD' } }, 'marker CORD (was CORD, 41511M001)'],
    [{ position: position(6_371_130) }, 'moved 130 m'],
    [{ position: position(6_374_200) }, 'moved 3.2 km'],
    [{ position: position(5_121_000) }, 'moved 1,250 km'],
    [
      { receiver: { ...receiver, version: '4.0' }, position: position(6_371_999) },
      'firmware 4.0 (was 3.7.5); moved 1.0 km',
    ],
  ] as const)
    t.equal(wordsOf({ ...before, ...after }), words)
  t.equal(
    wordsOf({ ...(marker && { marker }), ...(place && { position: place }) }),
    'receiver not said (was JAVAD TRE_G3TH); antenna not said (was JAVRINGANT_DM)',
  )
  t.equal(
    wordsOf({
      ...(receiver && { receiver }),
      ...(antenna && { antenna }),
      ...(marker && { marker }),
    }),
    'no position any more',
  )
})
