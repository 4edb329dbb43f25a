import { mkdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { lockWriter } from '../../../src/catalogue/sqlite/lock.ts'
import { until } from '../../indexer/until.ts'
import { testFolder } from '../../folder.ts'

const lost: Record<string, (lock: string) => void> = {
  removed: (lock) => {
    rmSync(lock)
  },
  'replaced by another file': (lock) => {
    writeFileSync(`${lock}.new`, '')
    renameSync(`${lock}.new`, lock)
  },
  'moved away': (lock) => {
    renameSync(lock, `${lock}.old`)
  },
}

for (const [what, lose] of Object.entries(lost))
  t.test(`a lock file that was ${what} is made and locked again`, async (t) => {
    const database = join(testFolder(t), 'c.db')
    const told: (Error | undefined)[] = []
    const onLockLost = (path: string, error: Error | undefined) => {
      t.equal(path, `${database}-lock`)
      told.push(error)
    }
    const lock = lockWriter(database, { lookMs: 5, onLockLost })
    t.teardown(() => {
      lock.release()
    })
    for (let times = 1; times <= 3; times++) {
      lose(`${database}-lock`)
      await until(t, 'told', () => told.length === times)
      t.throws(() => lockWriter(database), {
        code: 'ALREADY_RUNNING',
        message: `already running: another indexer has ${database}`,
      })
    }
    t.same(told, [undefined, undefined, undefined])
    lock.release()
    lockWriter(database).release()
  })

t.test('a lock file that cannot be made again is told once, and made when it can be', async (t) => {
  const database = join(testFolder(t), 'c.db')
  const path = `${database}-lock`
  const told: (Error | undefined)[] = []
  let looks = 0
  const onLockLost = (_path: string, error: Error | undefined) => told.push(error)
  const lock = lockWriter(database, { lookMs: 5, onLockLost })
  t.teardown(() => {
    lock.release()
  })
  rmSync(path)
  mkdirSync(path)
  const counting = setInterval(() => looks++, 5)
  await until(t, 'many looks', () => told.length > 0 && looks > 10)
  clearInterval(counting)
  t.match(told, [{ code: 'UNUSABLE_DATABASE' }])
  rmdirSync(path)
  await until(t, 'it is locked again', () => told.length === 2)
  t.equal(told[1], undefined)
  t.throws(() => lockWriter(database), { code: 'ALREADY_RUNNING' })
})
