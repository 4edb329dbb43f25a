/** What every page says of the archive. */
import { nameOf, startOf } from '../../rinex-names.ts'
import t from '../../tap.ts'
import { readPage } from '../html.ts'
import { openService } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const markup = `<script>alert('"')</script> & Söhne`

t.test('every page has the name of the archive and its operator, as text', async (t) => {
  const identity = {
    title: `Archive ${markup}`,
    operator: markup,
    contact: 'gnss@example.org',
    licence: 'https://licence.example/4.0/?a="b"&c',
    notice: `A demonstration ${markup}`,
  }
  const service = await openService(t, { settings: { identity } })
  const paths = ['rinex-file/', 'station/', 'changes/', 'status/', 'network/', 'docs/', 'none/']
  for (const path of paths) {
    const page = await service.page(path, path === 'none/' ? 404 : 200)
    t.match(page.title, `Archive ${markup}`, path)
    t.ok(
      page.links().some(({ text }) => text === identity.title),
      path,
    )
    t.ok(page.texts('p', { class: 'notice' }).includes(identity.notice), path)
    const isStart = path === 'network/'
    t.equal(page.texts('li').includes(`Operator: ${markup}`), !isStart, path)
    if (isStart) t.match(page.one('p', { class: 'quiet' }).text, `Run by ${markup}`)
    t.equal(page.hrefOf(identity.contact), 'mailto:gnss@example.org', path)
    t.ok(page.has('a', { href: identity.licence }), path)
  }
})

t.test('a contact that is no address is text', async (t) => {
  const contacts = ['Room 5', 'javascript:alert(1)', 'a@b', 'http://', 'https://a b', '<a@b.c>']
  for (const contact of contacts) {
    const { page } = await openService(t, { settings: { identity: { title: 'A', contact } } })
    const items = (await page('changes/')).all('li')
    const item = items.find(({ text }) => text === `Contact: ${contact}`)
    t.equal(item?.has('a'), false, contact)
  }
})

t.test('a page without states says too that the indexer is stopped, once', async (t) => {
  const deps = () => ({ indexerStatus: () => Promise.resolve(watchingIndexer) })
  const [stopped, watching] = [await openService(t), await openService(t, { deps })]
  for (const service of [stopped, watching]) {
    await service.addNames('obs/2026/001', ['GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'])
    await service.setNow(service.clock.us / 1e6)
  }
  const said = /The indexer is stopped since .{17} UTC/g
  for (const path of ['rinex-file/', 'archive/', 'missing/', 'docs/', 'search/?q=x', 'status/']) {
    t.notMatch((await watching.page(path)).text, 'stopped since', path)
    t.equal((await stopped.page(path)).text.match(said)?.length, 1, path)
  }
  const tagOf = async ({ app }: typeof stopped) =>
    (await app.inject({ url: '/rinex/api/rinex-file/', headers: { accept: 'text/html' } })).headers
      .etag
  t.match(await tagOf(stopped), /-b[\w-]{8}-html-/)
})

t.test('the start page counts the open alerts, and so does its tag', async (t) => {
  const hour = 3600e6
  const startUs = Date.UTC(2026, 0, 22, 5) * 1000
  const service = await openService(t, { nowUs: startUs })
  const names = Array.from({ length: 48 }, (_value, index) =>
    nameOf('GRAZ00AUT', startOf(2026, 20, index), { period: '01H' }),
  )
  await service.addNames('nrt/2026/020/00', names)
  const headers = { accept: 'text/html' }
  const get = async () => {
    await service.setNow(service.clock.us / 1e6)
    return service.app.inject({ url: '/rinex/api/network/', headers })
  }
  const alertsIn = ({ body }: { body: string }) =>
    readPage(body)
      .texts('a')
      .find((text) => text.startsWith('Alerts'))
  // The states are read in the background.
  await service.page('network/')
  const before = await get()
  t.equal(alertsIn(before), 'Alerts')
  service.clock.us += 5 * hour
  const after = await get()
  t.equal(alertsIn(after), 'Alerts (1)')
  t.not(after.headers.etag, before.headers.etag)
})
