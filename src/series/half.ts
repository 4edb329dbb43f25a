/**
 * Slots that were delivered, but whose best file holds less than half of its epochs. They are no
 * loss and change no figure: they are counted beside. Pure.
 */
import type { SlotSet } from './slot-set.ts'
import type { StateRun } from './slot-states.ts'

/** The share of its epochs below which the best file of a slot makes the slot half. */
export const leastShare = 0.5

/** A live file that is not damaged. */
export interface FileOfSlot {
  readonly slot: number
  /** Counted of expected epochs, 0 to 1; `undefined` if it is not known, or the file has all. */
  readonly share: number | undefined
}

/**
 * The slots that are half, each with its best file. A file of which nobody knows the share may hold
 * all epochs, so its slot is not half.
 * @param files all files of some slots
 */
export function halfSlotsOf<File extends FileOfSlot>(
  files: Iterable<File>,
): ReadonlyMap<number, File> {
  const best = new Map<number, File>()
  for (const file of files) {
    const known = best.get(file.slot)
    if (known === undefined || shareOf(file) > shareOf(known)) best.set(file.slot, file)
  }
  for (const [slot, file] of best) if (shareOf(file) >= leastShare) best.delete(slot)
  return best
}

const shareOf = ({ share = 1 }: FileOfSlot): number => share

/** The runs of a picture: those of delivered slots with the half ones apart. */
export function apartHalf<State>(
  runs: readonly StateRun<State>[],
  half: SlotSet | undefined,
): readonly StateRun<State | 'half'>[] {
  if (half === undefined) return runs
  return runs.flatMap((run) => (run.state === 'present' ? partsOf(run, half) : run))
}

function partsOf<State>(
  { state, firstSlot, slots }: StateRun<State>,
  half: SlotSet,
): readonly StateRun<State | 'half'>[] {
  const parts: StateRun<State | 'half'>[] = []
  const end = firstSlot + slots
  for (let slot = firstSlot; slot < end;) {
    const isHalf = half.has(slot)
    let next = isHalf ? slot + 1 : (half.firstFrom(slot) ?? end)
    while (isHalf && next < end && half.has(next)) next++
    next = Math.min(next, end)
    parts.push({ state: isHalf ? 'half' : state, firstSlot: slot, slots: next - slot })
    slot = next
  }
  return parts
}
