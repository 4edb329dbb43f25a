/** The assets of HTML pages. */
import t from '../../tap.ts'
import { openService } from '../service.ts'

t.test('browsers find the icon where they look for it, and may cache it', async (t) => {
  const { app } = await openService(t)
  const icon = await app.inject('/rinex/assets/icon.svg')
  const answer = await app.inject('/favicon.ico')
  t.match(answer, { statusCode: 200, body: icon.body })
  t.match(answer.headers, {
    'content-type': /^image\/svg\+xml/,
    'cache-control': 'public, max-age=3600',
  })
})

t.test('an asset is sent whole, even if a range is requested', async (t) => {
  const { app } = await openService(t)
  const url = '/rinex/assets/icon.svg'
  const whole = await app.inject(url)
  t.equal(whole.statusCode, 200)
  for (const range of ['bytes=0-1', 'bytes=-', 'bytes=3-1', 'bytes=999999-']) {
    const { statusCode, body } = await app.inject({ url, headers: { range } })
    t.equal(statusCode, 200, range)
    t.equal(body, whole.body, range)
  }
  t.equal(whole.headers['accept-ranges'], undefined)
})
