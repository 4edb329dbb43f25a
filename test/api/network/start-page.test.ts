/** The page of the network as the start page: the archive above it, and what cannot be read. */
import { CatalogueUnavailable, NotBuilt } from '../../../src/catalogue/errors.ts'
import { change } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import { daySeconds, firstDay, openNetwork } from '../series/network.ts'
import { openService, startUs } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const path = '/rinex/api/network/'
const headers = { accept: 'text/html,*/*;q=0.8' }

t.test('it says what the archive is, how large and how it is, and where to begin', async (t) => {
  const startSeconds = firstDay * daySeconds
  const network = await openNetwork(t, { startUs: (startSeconds - 40 * daySeconds) * 1e6 })
  for (let slot = firstDay * 24 - 24 * 30; slot < firstDay * 24; slot++) {
    await network.setNow((slot + 1) * 3600 + 60)
    await network.arrive(slot, 'GRAZ00AUT', '01H')
  }
  await network.setNow(startSeconds + 100)
  const page = await network.page('network/')
  t.equal(page.one('a', { class: 'service' }).text, 'RINEX file catalogue')
  t.equal(page.one('h1').text, 'The only station delivers')
  t.notOk(page.has('nav', { class: 'crumbs' }))
  t.ok(page.one('header').has('form', { class: 'search', action: '../search/' }))
  t.match(
    page.region('Totals').text,
    /^720 files, .* of 1 station in 1 country, from 2025 to now. 1 arrived in the last hour\. Directories/,
  )
  t.equal(
    page.one('p', { class: 'lead' }).text,
    '1 of 1 station that is due has sent the hour 22–23 UTC. The newest file arrived 40 s ago.',
  )
  for (const { href } of page.links({ href: /^(?!http|#)/ })) {
    const { pathname, search } = new URL(href, `http://a${path}`)
    const answer = await network.app.inject({ url: pathname + search, headers })
    t.equal(answer.statusCode, 200, href)
  }
})

t.test('an empty archive says where files are expected', async (t) => {
  const service = await openService(t, {
    nowUs: startUs,
    deps: () => ({ indexerStatus: () => Promise.resolve(watchingIndexer) }),
  })
  const unscanned = (await service.page('network/')).text
  t.match(unscanned, 'The first scan of the archive has not ended')
  t.match(unscanned, 'The catalogue has no files yet.')
  t.notMatch(unscanned, 'a few seconds after')
  await service.setNow(startUs / 1e6 + 2)
  const page = await service.page('network/')
  t.match(page.text, 'The catalogue has no files yet. They are expected in the folders obs/')
  t.match(page.text, 'A complete file appears here a few seconds after it was written')
  t.notMatch(page.text, 'The first scan')
  t.notMatch(page.text, 'Directories')
  t.match(page.text, `of ${service.archive}.`)
})

t.test('during the first scan, pages say how far it is', async (t) => {
  const scan = { startedUs: startUs, directoriesDone: 1, directoriesFound: 8, files: 9, rate: 3 }
  let progress = { ...scan, done: 0.127, secondsLeft: 58.2 }
  const service = await openService(t, {
    nowUs: startUs,
    deps: () => ({
      indexerStatus: () =>
        Promise.resolve({ ...watchingIndexer, state: 'scanning', scan: progress }),
    }),
  })
  const said = 'states are not known yet. 12 % is done, about 58 s left.'
  const before = await service.app.inject({ url: path, headers })
  t.match((await service.page('network/')).text, said)
  t.match((await service.page('rinex-file/')).text, said)
  progress = { ...progress, done: 0.5 }
  const { statusCode } = await service.app.inject({
    url: path,
    headers: { ...headers, 'if-none-match': String(before.headers.etag) },
  })
  t.equal(statusCode, 200, 'a page is not the same when the scan is further')
})

t.test('a page that waits for the first scan says itself how far it is, once', async (t) => {
  const scan = { startedUs: startUs, directoriesDone: 1, directoriesFound: 8, files: 9, rate: 3 }
  const progress = { ...scan, done: 0.127, secondsLeft: 58.2 }
  const service = await openService(t, {
    nowUs: startUs,
    deps: () => ({
      indexerStatus: () =>
        Promise.resolve({ ...watchingIndexer, state: 'scanning', scan: progress }),
    }),
  })
  // Its states were known while it was empty.
  await service.page('network/')
  service.clock.us += 60_000_000
  await service.writer.deferIndexes()
  await service.addNames('obs/2026/001', ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'])
  t.match((await service.page('network/')).text, '12 % is done')
  const page = await service.page('rinex-file/?station=graz', 503)
  t.strictSame(page.texts('p', { class: 'notice' }), [
    'The first scan of the archive has not ended: not all files are listed, and states are not known yet. 12 % is done, about 58 s left.',
  ])
  t.equal(page.text.match(/The first scan/g)?.length, 1)
  t.match(page.text, 'This page needs all files: load this page again then.')
  t.notMatch(page.text, 'The log of the service')
})

t.test('paths of the server that are not public are not said', async (t) => {
  const service = await openService(t, { settings: { problems: 'command-line' } })
  const { text } = await service.page('network/')
  t.match(text, 'The catalogue has no files yet.')
  t.notOk(text.includes(service.archive))
})

t.test('an archive that cannot be read is not said to be watched', async (t) => {
  const service = await openService(t, {
    deps: () => ({
      indexerStatus: () =>
        Promise.resolve({ ...watchingIndexer, notCurrent: 'obs/ cannot be read (EIO)' }),
    }),
    reader: () => ({ deliveries: () => Promise.reject(new NotBuilt('x')) }),
  })
  const { text } = await service.page('network/')
  t.equal(text.split('obs/ cannot be read (EIO). States are not known yet.').length, 2, 'once')
  t.notMatch(text, 'a few seconds after')
})

t.test('names of the archive are text', async (t) => {
  const identity = {
    title: '<b>Archive</b> & "more"',
    operator: '<script>alert(1)</script>',
    contact: 'gnss@archive.example',
    licence: 'javascript:alert(1)',
  }
  const page = await (await openService(t, { settings: { identity } })).page('network/')
  t.equal(page.one('a', { class: 'service' }).text, identity.title)
  const line = page.one('p', { class: 'quiet' })
  t.equal(line.text, `Run by ${identity.operator} · ${identity.contact} · Alerts`)
  t.equal(line.links()[0]?.href, 'mailto:gnss@archive.example')
  const footer = page.one('footer')
  t.match(footer.text, identity.licence)
  t.notMatch(footer.text, identity.operator, 'it is said once')
  t.strictSame(
    footer.links().map(({ href }) => href),
    ['?format=json'],
  )
})

t.test('what cannot be read at this moment is left out; JSON says so', async (t) => {
  const service = await openService(t)
  await service.addNames('obs/2026/001', ['graz0010.26d.gz'])
  const { app, reader } = service
  const fail = (error: Error) => () => Promise.reject(error)
  Object.assign(reader, { stations: fail(new NotBuilt('x')), deliveries: fail(new NotBuilt('x')) })
  const scanning = await service.page('network/')
  t.match(scanning.region('Totals').text, /^1 file, /)
  t.match(scanning.text, 'The indexer is stopped. States are not known yet.')
  t.notMatch(scanning.text, '1 station')
  t.equal((await app.inject(path)).statusCode, 503)
  const away = fail(new CatalogueUnavailable('x'))
  Object.assign(reader, { stations: away, deliveries: away, volumes: away, head: away })
  const closed = await service.page('network/')
  t.equal(closed.one('h1').text, 'The states of the stations are not known now')
  t.notMatch(closed.text, 'no files yet')
  t.equal((await app.inject(path)).statusCode, 503)
})

t.test('its tag changes with the catalogue, and with the details of files', async (t) => {
  let nowUs = startUs
  // The states of the network are kept for a second.
  const later = (): number => (nowUs += 2e6)
  const service = await openService(t, { deps: () => ({ nowUs: later }) })
  const { app, writer } = service
  const tagOf = async (): Promise<string> => {
    const { etag } = (await app.inject({ url: path, headers })).headers
    const cached = { ...headers, 'if-none-match': String(etag) }
    t.equal((await app.inject({ url: path, headers: cached })).statusCode, 304)
    return String(etag)
  }
  const tags = [await tagOf()]
  await service.addNames('obs/2026/001', ['graz0010.26d.gz'])
  tags.push(await tagOf())
  const id = await service.idOf('obs/2026/001/graz0010.26d.gz')
  const modified = [{ id, name: 'graz0010.26d.gz', size: 5, mtimeUs: 6 }]
  await writer.apply([change('obs/2026/001', { modified })])
  tags.push(await tagOf())
  t.equal(new Set(tags).size, 3)
})
