import t from 'tap'
import { openTurns } from '../../src/api/turns.ts'

t.test('so many at a time, in the order they came, whether they succeed or fail', async (t) => {
  const turns = openTurns(2)
  const started: number[] = []
  const finish: ((failed: boolean) => void)[] = []
  const results = [0, 1, 2, 3, 4].map((number) =>
    turns.take(
      () =>
        new Promise<number>((resolve, reject) => {
          started.push(number)
          finish[number] = (failed) => {
            if (failed) reject(new Error(`${number}`))
            else resolve(number)
          }
        }),
    ),
  )
  const settled = Promise.allSettled(results)
  const rest = () => new Promise((resolve) => setImmediate(resolve))
  await rest()
  t.same(started, [0, 1])
  finish[1]?.(true)
  await rest()
  t.same(started, [0, 1, 2])
  finish[0]?.(false)
  finish[2]?.(true)
  await rest()
  t.same(started, [0, 1, 2, 3, 4])
  finish[3]?.(false)
  finish[4]?.(false)
  t.same(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
  t.equal(await turns.take(() => Promise.resolve('free again')), 'free again')
})
