/** The start page. */
import t from '../../tap.ts'
import { CatalogueUnavailable, NotBuilt } from '../../../src/catalogue/reader-errors.ts'
import { change } from '../../catalogue/change.ts'
import { openService, startUs } from '../service.ts'
import { daySeconds, firstDay, openNetwork } from '../series/network.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const root = '/rinex/api/'
const headers = { accept: 'text/html,*/*;q=0.8' }

t.test('it says what the archive is, how it is and how large, and where to begin', async (t) => {
  const startSeconds = firstDay * daySeconds
  const network = await openNetwork(t, { startUs: (startSeconds - 40 * daySeconds) * 1e6 })
  for (let slot = firstDay * 24 - 24 * 30; slot < firstDay * 24; slot++) {
    await network.setNow((slot + 1) * 3600 + 60)
    await network.arrive(slot, 'GRAZ00AUT', '01H')
  }
  await network.setNow(startSeconds + 100)
  const { body } = await network.app.inject({ url: root, headers })
  for (const text of [
    '<h1>RINEX file catalogue</h1>',
    'All well: newest file 40 s ago, 1 of 1 station that is due has sent the hour 22–23.',
    '<b>720</b> files',
    '<b>1</b> station<',
    '<b>40 s</b> since the newest file',
    '<h2>Get data</h2>',
    '<h2>Watch the network</h2>',
    '<h2>Write a program</h2>',
    'rinex-file/?limit=5&amp;station=GRAZ00AUT',
    'action="search/"',
  ])
    t.ok(body.includes(text), text)
  for (const [, href = ''] of body.matchAll(/<a href="((?!http|#)[^"]*)"/g)) {
    const { pathname, search } = new URL(href.replaceAll('&amp;', '&'), `http://a${root}`)
    const page = await network.app.inject({ url: pathname + search, headers })
    t.equal(page.statusCode, 200, href)
  }
})

t.test('an empty archive says where files are expected', async (t) => {
  let nowUs = startUs
  const service = await openService(t, {
    deps: () => ({ nowUs: () => nowUs, indexerStatus: async () => watchingIndexer }),
  })
  const { app, archive, writer } = service
  const unscanned = await app.inject({ url: root, headers })
  t.match(unscanned.body, '<p class="notice">The first scan of the archive has not ended')
  t.notMatch(unscanned.body, 'a few seconds after')
  await writer.heartbeat({ atUs: nowUs, limitSeconds: 180 })
  nowUs += 2e6
  const { body } = await app.inject({ url: root, headers })
  t.match(
    body,
    'The catalogue has no files yet. They are expected in the folders <code>obs/</code>',
  )
  t.match(body, 'a complete file appears here a few seconds after it was written')
  t.notMatch(body, 'The first scan')
  t.notMatch(body, /class="totals"/)
  t.notOk(body.includes(archive), 'no path of the server')
})

t.test('an archive that cannot be read is not said to be watched', async (t) => {
  const service = await openService(t, {
    deps: () => ({
      indexerStatus: () =>
        Promise.resolve({ ...watchingIndexer, notCurrent: 'obs/ cannot be read (EIO)' }),
    }),
  })
  Object.assign(service.reader, { deliveries: () => Promise.reject(new NotBuilt('x')) })
  const { body } = await service.app.inject({ url: root, headers })
  t.match(body, 'obs/ cannot be read (EIO). States are not known yet.')
  t.notMatch(body, 'a few seconds after')
})

t.test('names of the archive are text', async (t) => {
  const identity = {
    title: '<b>Archive</b> & "more"',
    operator: '<script>alert(1)</script>',
    contact: 'gnss@archive.example',
    licence: 'javascript:alert(1)',
  }
  const { app } = await openService(t, { settings: { identity } })
  const { body } = await app.inject({ url: root, headers })
  t.match(body, '<h1>&lt;b&gt;Archive&lt;/b&gt; &amp; &quot;more&quot;</h1>')
  t.match(body, 'href="mailto:gnss@archive.example"')
  t.notMatch(body, /<script>|<b>Archive|href="javascript/)
})

t.test('what cannot be read at this moment is left out', async (t) => {
  const service = await openService(t)
  await service.addNames('obs/2026/001', ['graz0010.26d.gz'])
  const { app, reader } = service
  const fail = (error: Error) => () => Promise.reject(error)
  Object.assign(reader, { stations: fail(new NotBuilt('x')), deliveries: fail(new NotBuilt('x')) })
  const scanning = await app.inject({ url: root, headers })
  t.equal(scanning.statusCode, 200)
  t.match(scanning.body, '<b>1</b> file<')
  t.match(scanning.body, 'The indexer is stopped. States are not known yet.')
  t.notMatch(scanning.body, '</b> station')
  const away = fail(new CatalogueUnavailable('x'))
  Object.assign(reader, { stations: away, deliveries: away, volumes: away, head: away })
  const closed = await app.inject({ url: root, headers })
  t.equal(closed.statusCode, 200)
  t.match(closed.body, 'Who delivers is not known at this moment')
  t.match(closed.body, '<h2>Get data</h2>')
  t.notMatch(closed.body, /class="totals"><li>|no files yet/)
})

t.test('its tag changes with the catalogue, and with the details of files', async (t) => {
  let nowUs = startUs
  // The states of the network are kept for a second.
  const later = (): number => (nowUs += 2e6)
  const service = await openService(t, { deps: () => ({ nowUs: later }) })
  const { app, writer } = service
  const tagOf = async (): Promise<string> => {
    const { etag } = (await app.inject({ url: root, headers })).headers
    const cached = { ...headers, 'if-none-match': String(etag) }
    t.equal((await app.inject({ url: root, headers: cached })).statusCode, 304)
    return String(etag)
  }
  const tags = [await tagOf()]
  await service.addNames('obs/2026/001', ['graz0010.26d.gz'])
  tags.push(await tagOf())
  const id = await service.idOf('obs/2026/001/graz0010.26d.gz')
  const filled = [{ id, name: 'graz0010.26d.gz', size: 5, mtimeUs: 6 }]
  await writer.apply([change('obs/2026/001', { filled })])
  tags.push(await tagOf())
  t.equal(new Set(tags).size, 3)
})
