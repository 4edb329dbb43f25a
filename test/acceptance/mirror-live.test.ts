/** A mirror that waits for changes, by a request that is held back or by server-sent events, holds exactly the list. */
import t from 'tap'
import { alone, compare, restarts, startMirrored, storm } from './mirrored.ts'
import { until, needsTime } from './service.ts'
import { arrive, hourDirectory, pathIn } from './tree.ts'

const steps = 100
const breaks = ['the API is killed', 'the indexer is killed', 'the API is restarted'] as const

t.setTimeout(0)

t.test('by requests that wait', { skip: needsTime }, async (t) => {
  const { service, churn, mirror } = await startMirrored(t)
  await mirror.begin()
  await mirror.catchUp()
  const held = mirror.follow('&wait=60')
  arrive(service.archive, pathIn(hourDirectory(), 5000))
  t.ok(await held, 'a request that was held back tells the first change')

  const end = new AbortController()
  const keptUp = mirror.keepUp(end.signal, '&wait=1')
  for (const what of breaks) {
    await storm(churn, steps)
    await restarts[what](service)
  }
  await storm(churn, steps)
  await Promise.race([compare(t, service, mirror, alone), keptUp])
  end.abort()
  await keptUp
})

t.test('by server-sent events', { skip: needsTime }, async (t) => {
  const { service, churn, mirror } = await startMirrored(t)
  await mirror.begin()
  for (const what of breaks) {
    const { seq } = mirror
    const pause = new AbortController()
    const listened = mirror.listen(pause.signal)
    await storm(churn, steps)
    await Promise.race([until('events came', () => mirror.seq > seq), listened])
    pause.abort()
    await listened
    // What happens now is told when it listens again, after the last event that it saw.
    await Promise.all([restarts[what](service), storm(churn, steps)])
  }
  const end = new AbortController()
  const listened = mirror.listen(end.signal)
  await restarts['the API is restarted'](service)
  await Promise.race([compare(t, service, mirror, alone), listened])
  end.abort()
  await listened
})
