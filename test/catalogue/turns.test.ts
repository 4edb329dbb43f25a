/** In which order long queries start, whoever asks them and however long each takes. */
import fc from 'fast-check'
import type { Asker } from '../../src/catalogue/turns.ts'
import { QueryTurns } from '../../src/catalogue/turns.ts'
import t from '../tap.ts'

const askerOf = (client: string): Asker => ({ client, signal: new AbortController().signal })

/** Queries that run until the test ends them, in two slots for clients and a third. */
function openTurns() {
  const turns = new QueryTurns({ ofClients: 2, ofAll: 3 })
  const started: string[] = []
  const running: { readonly client: string; readonly end: () => void }[] = []
  const ask = (client: string): void => {
    const query = (): Promise<void> =>
      new Promise<void>((resolve) => {
        started.push(client)
        running.push({ client, end: resolve })
      })
    void turns.run(client === '' ? {} : askerOf(client), query)
  }
  /** Ends one of the running queries, and lets the next one start. */
  const end = async (index = 0): Promise<void> => {
    running.splice(index % running.length, 1)[0]?.end()
    for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  }
  return { ask, end, started, running }
}

t.test('the program has a slot that no client takes', (t) => {
  const { ask, started } = openTurns()
  for (const client of ['a', 'a', 'b', 'c', '']) ask(client)
  t.strictSame(started, ['a', 'b', ''])
  t.end()
})

t.test('clients take turns', async (t) => {
  const { ask, end, started } = openTurns()
  for (const client of ['a', 'b', 'a', 'b', 'a', 'b', 'c']) ask(client)
  for (let ended = 0; ended < 5; ended++) await end()
  t.strictSame(started, ['a', 'b', 'a', 'b', 'c', 'a', 'b'])
})

t.test('whichever queries end first, no client waits for three of another', async (t) => {
  const clients = ['', 'a', 'b', 'c', 'd']
  const askedOf = fc.array(fc.constantFrom(...clients), { minLength: 1, maxLength: 29 })
  const endsOf = fc.array(fc.nat(2), { minLength: 29, maxLength: 29 })
  await fc.assert(
    fc.asyncProperty(askedOf, endsOf, async (asked, ends) => {
      const { ask, end, started, running } = openTurns()
      for (const client of asked) ask(client)
      const ofClients = () => running.filter(({ client }) => client !== '')
      for (const index of ends) {
        if (running.length === 0) break
        t.ok(
          ofClients().length <= 2 &&
            new Set(running.map(({ client }) => client)).size === running.length,
        )
        await end(index)
      }
      t.strictSame([...started].sort(), [...asked].sort(), 'each query runs')
      for (const waiting of clients.slice(1)) {
        const first = started.indexOf(waiting)
        for (const other of clients.slice(1)) {
          const before = started.slice(0, first).filter((client) => client === other).length
          t.ok(first < 0 || other === waiting || before <= 2, `${started.join()}: ${waiting}`)
        }
      }
    }),
  )
})
