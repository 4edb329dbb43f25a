import { AsOfReader } from '../../../src/api/series/as-of-reader.ts'
import type { StatusReply } from '../../../src/control-socket/client.ts'
import t from '../../tap.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const nowUs = () => 1_800_000_000e6
const head = { asOf: { atUs: nowUs() - 20e6, limitSeconds: 180 } }
const never = () => new Promise<StatusReply>(() => undefined)

// A server has connections that keep the process alive; the reader's timer does not.
const alive = setInterval(() => undefined, 1000)
t.teardown(() => {
  clearInterval(alive)
})

t.test('an indexer that does not answer delays nothing, and is not stopped', async (t) => {
  let indexerStatus = never
  const asOf = () => new AsOfReader({ nowUs, indexerStatus }).of(head)
  t.match(await asOf(), { seconds: 1_799_999_980, notCurrent: undefined })
  indexerStatus = () => Promise.reject(new Error('a line that is not JSON'))
  t.match(await asOf(), { notCurrent: undefined })
  indexerStatus = () => Promise.resolve(undefined)
  t.match(await asOf(), { notCurrent: 'the indexer is stopped' })
})

t.test('while an indexer does not answer, what it said last counts', async (t) => {
  const said = {
    ...watchingIndexer,
    notCurrent: 'obs/ is lost',
    problems: [{ text: 'obs/ is lost', advice: '' }],
  }
  let answers = 0
  const indexerStatus = () => (answers++ === 0 ? Promise.resolve(said) : never())
  const reader = new AsOfReader({ nowUs, indexerStatus })
  const reasons = new Set<string | undefined>()
  while (answers < 2) {
    reasons.add((await reader.of(head)).notCurrent)
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.strictSame([...reasons], ['obs/ is lost'])
})
