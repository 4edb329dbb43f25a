import { realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { serverName } from '../../src/catalogue/database-url.ts'
import { draftConfig, loadConfig } from '../../src/config/load.ts'
import { testFolder } from '../folder.ts'
import { fc } from '../random.ts'
import t, { exact } from '../tap.ts'

t.test('the control socket is beside the real path of the database', async (t) => {
  const folder = realpathSync(testFolder(t, { real: {} }))
  symlinkSync('real', join(folder, 'link'))
  const given = { file: undefined, env: {}, cwd: folder }
  const config = (database: string) => loadConfig({ ...given, flags: { database } }).config
  t.match(config('link/a.db'), {
    database: join(folder, 'real/a.db'),
    controlSocket: /real\/a\.sock$/,
  })
  t.same(config('link/a.db'), config('real/a.db'))
})

const load = (flags: Readonly<Record<string, string>>) => draftConfig({ env: {}, cwd: '/', flags })
const url = 'postgresql://user@db.example/name?host=/run/postgresql'

t.test('the URL of a server stays as it is, and has no control socket', async (t) => {
  for (const database of [url, url.replace('postgresql', 'POSTGRES')]) {
    const { values, faults } = load({ database, databaseRead: url })
    t.strictSame(faults, [])
    t.match(values, { database, database_read: url })
    t.equal(values.control_socket, undefined)
  }
})

t.test('what a server cannot have, and what only a server has, are faults', async (t) => {
  const password = /^database must be a URL without a password: .*database_password_file$/
  const unreadable = /^database is a URL that cannot be read: /
  const noName = /^database must be a URL with the name of a database: /
  const otherForm = /^database must be a path, or a URL of the form /
  const cases: readonly [flags: Readonly<Record<string, string>>, source: string, RegExp][] = [
    [{ database: url, controlSocket: '/s' }, '--control-socket', /^control_socket must not be set/],
    [{ databaseRead: url }, '--database-read', /^database_read needs a PostgreSQL server/],
    [{ database: url, databaseRead: '/a' }, '--database-read', /^database_read must be a URL such/],
    [{ database: url, databaseRead: '' }, '--database-read', /, found another value$/],
    [
      { database: url, databaseRead: 'postgres://u:p@h/n' },
      '--database-read',
      /^database_read must be a URL without a password/,
    ],
    ...[
      ['postgresql://u:p@h/n', password],
      ['postgresql://:p@h/n', password],
      ['postgresql://u@h/n?a=b&password=p', password],
      ['postgresql://u:p@/n?host=/a', password],
      ['postgresql://', noName],
      ['postgresql://u@h', noName],
      ['postgresql://u@h/?n=n', noName],
      ['postgresql://h:x/n', unreadable],
      ['postgresql://h:99999/n', unreadable],
      ['postgresql://u:1/p@h/n', unreadable],
      ['postgresql://u:1#p@h/n', unreadable],
      ['postgresql://u:1?p@h/n', unreadable],
      ['postgresql://h/%ff', unreadable],
      [
        'postgresql://a,b/n\0',
        /^database must be a file, or a URL such as .* found another value$/,
      ],
      ['postgres:/u:p@h/n', otherForm],
      ['postgresql:n', otherForm],
      [' postgresql://h/n', otherForm],
      ['mysql://u:p@h/n', otherForm],
    ].map(([database, message]) => [{ database }, '--database', message] as never),
  ]
  for (const [flags, source, message] of cases)
    t.match(load(flags).faults, exact([{ source, message }]), JSON.stringify(flags))
})

t.test('a fault of a URL that another source overrides is named too', async (t) => {
  const env = { RINEX_CATALOGUE_DATABASE: 'postgresql://u:p@h/n' }
  const { values, faults } = draftConfig({ env, cwd: '/', flags: { database: url } })
  t.match(faults, exact([{ source: 'RINEX_CATALOGUE_DATABASE', key: 'database' }]))
  t.equal(values.database, url)
})

t.test('no message has a part of a URL but host, port and name', async () => {
  // Each secret begins with this text, whatever follows it.
  const secret = fc
    .tuple(fc.string(), fc.boolean())
    .map(([text, isEncoded]) => `S3CRET${isEncoded ? encodeURIComponent(text) : text}`)
  const before = fc.constantFrom('', '1', '1/', '1?', '1#', '/', '@', ':', '%', '[', ' ')
  const text = fc.record({
    scheme: fc.constantFrom('postgresql:', 'postgres:', 'Postgres:', ' postgres:'),
    slashes: fc.constantFrom('//', '//', '//', '/', '///', ''),
    user: fc.option(
      fc.tuple(before, secret).map((parts) => parts.join('')),
      { nil: '' },
    ),
    password: fc.option(
      fc.tuple(before, secret).map((parts) => `:${parts.join('')}`),
      { nil: '' },
    ),
    host: fc.constantFrom('h', '', 'h:1', '[::1]:1', '%2Fa', 'h:x'),
    name: fc.constantFrom('/n', '/', '', '/%6e', '/n/n'),
    parameters: fc.array(
      fc.tuple(fc.constantFrom('user', 'password', 'options', 'x', '__proto__'), secret),
    ),
  })
  fc.assert(
    fc.property(text, fc.constantFrom('database', 'databaseRead', 'both'), (parts, key) => {
      const { scheme, slashes, user, password, host, name, parameters } = parts
      const query = parameters.map((pair) => pair.join('=')).join('&')
      const hasUser = user !== '' || password !== ''
      const authority = `${user}${password}${hasUser ? '@' : ''}${host}`
      const given = `${scheme}${slashes}${authority}${name}${query === '' ? '' : `?${query}`}`
      const flags = {
        ...(key === 'databaseRead' ? {} : { database: given }),
        ...(key === 'database' ? {} : { databaseRead: given }),
      }
      const { values, faults } = load(flags)
      const { database, database_read: read } = values
      const shown = [database, read].map((value) => serverName(value ?? ''))
      return !`${JSON.stringify(faults)} ${shown.join(' ')}`.includes('S3CRET')
    }),
    { numRuns: 5000 },
  )
})
