import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { Cluster, lacksPostgres, openSchema, psql } from './postgres.ts'
import t from './tap.ts'

const skip = lacksPostgres()

t.test('each schema is empty, has an owner of its own, and is removed', { skip }, async (t) => {
  let kept = ''
  const whose = 'SELECT current_user || current_schema() FROM number'
  await t.test('while it is used', async (t) => {
    const [one, other] = [await openSchema(t), await openSchema(t)]
    kept = one
    for (const url of [one, other]) {
      await psql(url, 'CREATE TABLE number AS SELECT 1 AS n')
      const client = new Client(url)
      await client.connect()
      t.teardown(() => client.end())
      const name = new URL(url).username
      t.same((await client.query({ text: whose, rowMode: 'array' })).rows, [[name + name]])
      t.equal(await psql(url, whose), name + name)
    }
    await t.rejects(psql(one, `SELECT * FROM ${new URL(other).username}.number`), /permission/)
  })
  await t.rejects(psql(kept, 'SELECT 1'), /role .* does not exist/)
})

t.test('a cluster survives a crash, and a standby replaces it', { skip }, async (t) => {
  const cluster = await Cluster.start(t, { settings: { max_connections: '50' } })
  t.equal(await cluster.psql('SHOW max_connections'), '50')
  await cluster.psql('CREATE TABLE number (n bigint)')
  await cluster.psql('INSERT INTO number VALUES (1)')
  await cluster.restart('immediate')
  t.equal(await cluster.psql('SELECT n FROM number'), '1')

  const standby = await cluster.standby(t, { synchronous: true })
  await cluster.psql('INSERT INTO number VALUES (2)')
  await t.rejects(standby.psql('INSERT INTO number VALUES (3)'), /read-only/)
  await cluster.stop('immediate')
  await standby.promote()
  t.equal(await standby.psql('SELECT count(*) FROM number'), '2')
  await standby.psql('INSERT INTO number VALUES (3)')
})

t.test('a server ends with the processes of its test', { skip }, async (t) => {
  const module = new URL('postgres.ts', import.meta.url).href
  const script = `
    const { Cluster } = await import('${module}')
    const { folder } = await Cluster.start({ teardown() {} })
    console.log(folder)
    process.kill(0, 'SIGTERM')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached: true,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const folder = (await text(child.stdout)).trim()
  t.ok(folder)
  while (existsSync(folder)) await delay(20)
})
