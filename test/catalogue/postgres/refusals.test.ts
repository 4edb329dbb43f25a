/**
 * The indexer refuses a server that it must not use, with the remedy, and waits for one that it
 * cannot use yet. Nothing that it prints has more of the URL than host, port and name.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { testFolder } from '../../folder.ts'
import { Cluster, lacksPostgres, psql } from '../../postgres.ts'
import { kept, programLine } from '../../program.ts'
import t from '../../tap.ts'

const user = 'schliesser'
const password = 'sesam-oeffne-dich'

t.test('servers that cannot be used', { skip: lacksPostgres() }, async (t) => {
  const shared = mkdtempSync(join('/tmp', 'postgres-hba-'))
  t.teardown(() => {
    rmSync(shared, { recursive: true })
  })
  const hba_file = join(shared, 'hba')
  writeFileSync(hba_file, 'local all postgres trust\nlocal all all scram-sha-256\n')
  chmodSync(shared, 0o755)
  const cluster = await Cluster.start(t, { settings: { hba_file } })
  await cluster.psql(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`)
  const folder = testFolder(t)
  mkdirSync(join(folder, 'archive/obs'), { recursive: true })
  const passwordFile = (content: string) => {
    const file = join(folder, `password-${content.length}`)
    writeFileSync(file, content, { mode: 0o600 })
    return file
  }
  const options = {
    ARCHIVE: join(folder, 'archive'),
    DATABASE_PASSWORD_FILE: passwordFile(password),
  }
  const urlOf = (name: string, role = user) =>
    `postgresql://${role}@localhost/${name}?host=${cluster.folder}&port=5432`

  /** @returns how the command ended, and all that it said; it gets SIGTERM when it waits */
  const run = async (args: string[], more: Readonly<Record<string, string>>) => {
    const env = Object.fromEntries(
      Object.entries({ ...options, ...more }).map(([key, value]) => [
        `RINEX_CATALOGUE_${key}`,
        value,
      ]),
    )
    const child = spawn(...programLine(args), {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...kept, ...env },
    })
    let said = ''
    child.stdout.on('data', (data: Buffer) => {
      said += data.toString()
      if (said.includes('"waiting"')) child.kill('SIGTERM')
    })
    const errors = text(child.stderr)
    const [code] = (await once(child, 'close')) as [number]
    return { code, said: said + (await errors) }
  }
  const isSilent = (said: string) =>
    [user, password, 'search_path', 'geheim'].every((word) => !said.includes(word))

  const create = async (name: string, how = '') => {
    await cluster.psql(`CREATE DATABASE ${name} OWNER ${user} ${how}`)
  }
  const template = "TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
  const refused: readonly [name: string, how: string, sql: string, remedy: RegExp][] = [
    [
      'latin',
      `ENCODING LATIN1 ${template}`,
      '',
      /has another encoding: create the database with ENC/,
    ],
    [
      'ascii',
      `ENCODING SQL_ASCII ${template}`,
      '',
      /has another encoding: create the database with/,
    ],
    ['others', '', 'CREATE TABLE theirs (x int)', /tables of another program: create another/],
    ['schemaless', '', 'DROP SCHEMA public', /no schema for this user: create one/],
    [
      'readonly',
      '',
      'ALTER DATABASE readonly SET default_transaction_read_only = on',
      /is read-only: name the primary server in database/,
    ],
  ]
  for (const [name, how, sql, remedy] of refused)
    await t.test(name, async (t) => {
      await create(name, how)
      await psqlIn(cluster, name, sql)
      const { code, said } = await run(['index'], { DATABASE: urlOf(name) })
      t.equal(code, 78, said)
      t.match(said, remedy)
      t.ok(isSilent(said), said)
    })

  await t.test('of a newer release, and of another collation', async (t) => {
    await create('newer')
    const database = { DATABASE: urlOf('newer') }
    const first = await run(['index', '--once'], database)
    t.equal(first.code, 0, first.said)
    await psqlIn(cluster, 'newer', 'UPDATE server SET schema = schema + 1')
    const newer = await run(['index'], database)
    t.equal(newer.code, 78, newer.said)
    t.match(newer.said, /has schema \d+, this program knows \d+: install the program that made it/)
    const reading = await run(['status'], database)
    t.match(reading, { code: 1, said: /has schema \d+, this program reads \d+/ })
    await psqlIn(cluster, 'newer', 'UPDATE server SET schema = schema - 1')
    await psqlIn(cluster, 'newer', 'ALTER TABLE file ALTER name TYPE text COLLATE "default"')
    const other = await run(['index'], database)
    t.equal(other.code, 78, other.said)
    t.match(other.said, /columns with another collation than \\*"C\\*": let the indexer create/)
    t.ok(isSilent(first.said + newer.said + reading.said + other.said))
  })

  const passing: readonly [title: string, words: RegExp, more: Readonly<Record<string, string>>][] =
    [
      [
        'wrong password',
        /refuses (this user|the password)|needs a password/,
        { DATABASE_PASSWORD_FILE: passwordFile('geheim') },
      ],
      [
        'no such role',
        /refuses (this user|the password)|needs a password/,
        { DATABASE: urlOf('newer', 'geheimer') },
      ],
      ['no such database', /has no such database/, { DATABASE: urlOf('nowhere') }],
      ['no server', /ENOENT/, { DATABASE: urlOf('newer').replace('5432', '5433') }],
    ]
  for (const [title, words, more] of passing)
    await t.test(title, async (t) => {
      const settings = { DATABASE: urlOf('newer'), ...more }
      const daemon = await run(['index'], settings)
      t.match(daemon, { code: 0, said: words }, 'the indexer waits')
      const once = await run(['index', '--once'], settings)
      t.match(once, { code: 1, said: words })
      t.notMatch(once.said, /stop it/, 'there is no other indexer')
      const status = await run(['status'], settings)
      t.match(status, { code: 1, said: words })
      for (const { said } of [daemon, once, status]) t.ok(isSilent(said), said)
    })
})

/** Runs SQL in a database of a cluster as its superuser. */
async function psqlIn(cluster: Cluster, name: string, sql: string): Promise<void> {
  await psql(cluster.url.replace('/postgres?', `/${name}?`), sql)
}
