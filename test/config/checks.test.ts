import type { Check } from '../../src/config/checks.ts'
import {
  baseUrlFor,
  integer,
  isBaseUrl,
  isHost,
  list,
  oneOf,
  optional,
  originOf,
  text,
  toBaseUrl,
} from '../../src/config/checks.ts'
import t from '../tap.ts'

const cases: readonly [string, Check<unknown>, readonly unknown[], readonly unknown[]][] = [
  ['any text', text(), ['', 'a', 'ä\0'], [undefined, null, 1, ['a'], {}]],
  ['a text with a pattern', text(/^a+$/), ['a', 'aa'], ['', 'b', 'ab', 1]],
  ['a text with a condition', text((value) => value.length > 1), ['ab'], ['', 'a', ['a', 'b']]],
  ['a whole number', integer(1, 3), [1, 2, 3], [0, 4, 1.5, NaN, Infinity, '2', 2n, undefined]],
  ['one of several words', oneOf(['a', 'b']), ['a', 'b'], ['', 'c', 'A', ['a'], 0, undefined]],
  ['a list', list(text(/^a$/)), [[], ['a'], ['a', 'a']], ['a', ['b'], ['a', 1], { length: 0 }]],
  ['an optional value', optional(integer(1, 3)), [undefined, 1], [null, 0, '']],
]

for (const [what, check, taken, refused] of cases)
  t.test(`the check for ${what} accepts valid values and rejects others`, (t) => {
    for (const value of taken) t.equal(check(value), true, String(value))
    for (const value of refused) t.equal(check(value), false, String(value))
    t.end()
  })

t.test('a host is accepted if a server can listen on it', async (t) => {
  const hosts = [
    '127.0.0.1',
    'localhost',
    'gnss.example.org',
    'api_1',
    '::',
    '::1',
    'fe80::1%eth0',
    '0',
  ]
  for (const host of hosts) t.ok(isHost(host), host)
  const others = [
    '',
    '[::1]',
    '*',
    'a b',
    'http://a',
    'a/b',
    'a:80',
    '256.1.1.1',
    '-a',
    'a\n',
    '1.2.3.4.5',
  ]
  for (const host of others) t.notOk(isHost(host), JSON.stringify(host))
})

t.test('the origin of links is made from a host and a port', async (t) => {
  const cases: [host: string, port: number, origin: string | undefined][] = [
    ['127.0.0.1', 8080, 'http://127.0.0.1:8080'],
    ['127.0.0.1', 80, 'http://127.0.0.1'],
    ['Gnss.Example.org', 8080, 'http://gnss.example.org:8080'],
    ['::1', 8080, 'http://[::1]:8080'],
    ['0.0.0.0', 8080, undefined],
    ['0', 8080, undefined],
    ['::', 8080, undefined],
    ['0:0:0:0:0:0:0:0', 8080, undefined],
    ['::ffff:0.0.0.0', 8080, undefined],
    ['fe80::1%eth0', 8080, undefined],
  ]
  for (const [host, port, origin] of cases) t.equal(originOf(host, port), origin, host)
})

t.test('a base URL is checked and brought into one form', async (t) => {
  const good: [text: string, form: string][] = [
    ['http://a', 'http://a'],
    ['https://a/', 'https://a'],
    ['https://A.example:443/Path//', 'https://a.example/Path'],
    ['http://[::1]:8080/x/y', 'http://[::1]:8080/x/y'],
    ['HTTP://a:80', 'http://a'],
  ]
  for (const [text, form] of good) {
    t.ok(isBaseUrl(text), text)
    t.equal(toBaseUrl(text), form)
  }
  const bad = [
    '',
    'a',
    '/a',
    '//a',
    'ftp://a',
    'http:a',
    'http://',
    'http://a?',
    'http://a/?b',
    'http://a#',
  ]
  const worse = [
    'http://u@a',
    'http://u:p@a',
    'http://a b',
    ' http://a',
    'http:\\\\a',
    'http://a:99999',
  ]
  for (const text of [...bad, ...worse]) t.notOk(isBaseUrl(text), JSON.stringify(text))
})

t.test('links have the configured base URL, otherwise the host and the actual port', async (t) => {
  t.equal(baseUrlFor({ baseUrl: 'https://a/b', host: '::' }, 1), 'https://a/b')
  t.equal(baseUrlFor({ baseUrl: undefined, host: 'localhost' }, 4711), 'http://localhost:4711')
  t.throws(() => baseUrlFor({ baseUrl: undefined, host: '::' }, 1), /base_url/)
})
