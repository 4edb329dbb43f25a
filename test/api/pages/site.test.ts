/** What every page says of the archive. */
import t from '../../tap.ts'
import { openService } from '../service.ts'

const accept = { accept: 'text/html' }
const markup = `<script>alert('"')</script> & Söhne`

t.test('every page has the name of the archive and its operator, as text', async (t) => {
  const identity = {
    title: `Archive ${markup}`,
    operator: markup,
    contact: 'gnss@example.org',
    licence: 'https://licence.example/4.0/?a="b"&c',
    notice: `A demonstration ${markup}`,
  }
  const { app } = await openService(t, { settings: { identity } })
  const paths = ['rinex-file/', 'station/', 'changes/', 'status/', 'network/', 'docs/', 'none/']
  for (const path of paths) {
    const { body } = await app.inject({ url: `/rinex/api/${path}`, headers: accept })
    t.notMatch(body, "<script>alert('", path)
    const escaped = '&lt;script&gt;alert(&#39;&quot;&#39;)&lt;/script&gt; &amp; Söhne'
    t.match(body, `Archive ${escaped}</title>`, path)
    t.match(body, `>Archive ${escaped}</a>`, path)
    t.match(body, `<p class="notice">A demonstration ${escaped}</p>`, path)
    t.match(body, `<li>Operator: ${escaped}</li>`, path)
    t.match(body, '<li>Contact: <a href="mailto:gnss@example.org">gnss@example.org</a></li>', path)
    t.match(body, 'Licence: <a href="https://licence.example/4.0/?a=&quot;b&quot;&amp;c">', path)
  }
})

t.test('a contact that is no address is text', async (t) => {
  const contacts = ['Room 5', 'javascript:alert(1)', 'a@b', 'http://', 'https://a b', '<a@b.c>']
  for (const contact of contacts) {
    const { app } = await openService(t, { settings: { identity: { title: 'A', contact } } })
    const { body } = await app.inject({ url: '/rinex/api/changes/', headers: accept })
    const text = contact.replace('<', '&lt;').replace('>', '&gt;')
    t.match(body, `<li>Contact: ${text}</li>`, contact)
  }
})

t.test('the header counts the open alerts, and so does the tag of every page', async (t) => {
  const hour = 3600e6
  const startUs = Date.UTC(2026, 0, 22, 5) * 1000
  const service = await openService(t, { nowUs: startUs })
  const names = Array.from({ length: 48 }, (_value, index) => {
    const [day, at] = [20 + Math.floor(index / 24), String(index % 24).padStart(2, '0')]
    return `GRAZ00AUT_R_20260${day}${at}00_01H_30S_MO.crx.gz`
  })
  await service.addNames('nrt/2026/020/00', names)
  const get = async () => {
    await service.setNow(service.clock.us / 1e6)
    return service.app.inject({ url: '/rinex/api/rinex-file/', headers: accept })
  }
  // The states are read in the background.
  await service.app.inject({ url: '/rinex/api/network/', headers: accept })
  const before = await get()
  t.notMatch(before.body, /Alerts \(/)
  service.clock.us += 5 * hour
  const after = await get()
  t.match(after.body, />Alerts \(1\)</)
  t.not(after.headers.etag, before.headers.etag)
})
