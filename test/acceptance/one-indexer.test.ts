/** A second indexer on the same database does not start, whichever path of the database it uses. */
import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { kept, programLine } from '../program.ts'
import t from '../tap.ts'
import { longestMs, startScanned, stop, until } from './service.ts'
import { arrive, hourDirectory, pathIn, paths } from './tree.ts'

t.setTimeout(longestMs)

t.test('a second indexer is refused, whichever path of the database it uses', async (t) => {
  const service = await startScanned(t, [pathIn(hourDirectory(), 9999)])
  const { folder } = service
  const at = (path: string) => join(folder, path)
  mkdirSync(at('other'))
  symlinkSync('../catalogue.db', at('other/link.db'))
  symlinkSync('..', at('other/folder'))
  linkSync(service.database, at('other/hard.db'))
  const names = ['catalogue.db', 'other/link.db', 'other/folder/catalogue.db']
  const second = (database: string, ...more: string[]) => {
    const command = ['index', '--once', '--archive', 'archive', '--database', database, ...more]
    return spawnSync(...programLine(command), {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...kept },
      encoding: 'utf8',
    })
  }
  const refusedByAll = (when: string): void => {
    for (const name of names) {
      const { status, stdout, stderr } = second(name)
      t.equal(status, 1, `${name} ${when}: ${stdout}${stderr}`)
      t.match(`${stdout}${stderr}`, 'already running')
    }
    refusedAsLink('other/hard.db')
  }
  const refusedAsLink = (name: string): void => {
    const { status, stdout, stderr } = second(name)
    t.equal(status, 78, `${name}: ${stdout}${stderr}`)
    t.match(`${stdout}${stderr}`, `${name} has 2 hard links: remove one`)
  }
  refusedByAll('after the start')
  const all = paths(hourDirectory(), 500)
  for (const path of all) arrive(service.archive, path)
  await until('all are listed', async () => (await service.count()) === all.length + 1)
  refusedByAll('after many writes')
  rmSync(`${service.database}-lock`)
  arrive(service.archive, pathIn(hourDirectory(), 9998))
  await until('the lock file is made again', () => existsSync(`${service.database}-lock`))
  const other = second('catalogue.db', '--control-socket', 'other.sock')
  t.equal(other.status, 1, `without its lock file: ${other.stdout}${other.stderr}`)
  t.equal(await service.count(), all.length + 2, 'the first continues')
  await stop(service.indexer, 'SIGKILL')
  for (const name of ['other/hard.db', 'catalogue.db']) refusedAsLink(name)
  rmSync(at('other/hard.db'))
  const after = second('other/link.db')
  t.equal(after.status, 0, `when the first was killed: ${after.stdout}${after.stderr}`)
})
