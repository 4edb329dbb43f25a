import { closeSync, constants, openSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openDescriptor } from '../../src/api/descriptor.ts'
import { testFolder } from '../folder.ts'
import { until } from './wire.ts'

const content = Buffer.alloc(1_000_000, 'abc')

/** What a number stands for in this process. */
function fileOf(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

for (const isLocal of [true, false])
  t.test(`a file ${isLocal ? 'of this machine' : 'that lies elsewhere'}`, async (t) => {
    const path = join(testFolder(t, { file: content.toString() }), 'file')
    const open = () => openDescriptor(path, constants.O_RDONLY, () => isLocal)

    await t.test('is read from where it was opened, whatever is at its path', async (t) => {
      const file = await open()
      writeFileSync(`${path}.new`, content)
      renameSync(`${path}.new`, path)
      const piece = Buffer.alloc(10)
      t.equal(await file.read(piece, 3), 10)
      t.same(piece, content.subarray(3, 13))
      t.equal(await file.read(piece, content.length - 4), 4)
      t.equal(await file.read(piece, content.length), 0)
      t.equal(file.stats.nlink, 1)
      const look = file.look()
      t.equal(look instanceof Promise, !isLocal, 'waits only where it may have to')
      t.equal((await look).nlink, 0)
      file.close()
    })

    await t.test('is closed once, and when the reads have ended', async (t) => {
      const file = await open()
      const pieces = Array.from({ length: 8 }, () => Buffer.alloc(content.length))
      const reads = pieces.map((piece) => file.read(piece, 0))
      file.close()
      t.match(fileOf(file.fd), path, 'not before')
      await Promise.all(reads)
      t.ok(pieces.every((piece) => piece.equals(content)))
      await until(() => fileOf(file.fd) === undefined, 'it is closed')
      // Each takes the lowest number that is free.
      const others: number[] = []
      while (!others.includes(file.fd)) others.push(openSync('/dev/null', 'r'))
      file.close()
      await t.rejects(file.read(Buffer.alloc(1), 0), { message: 'read after it was closed' })
      t.equal(fileOf(file.fd), '/dev/null', 'what has its number by now stays open')
      for (const other of others) closeSync(other)
    })
  })

t.test('what cannot be opened says why', async (t) => {
  const path = join(testFolder(t), 'none')
  await t.rejects(
    openDescriptor(path, constants.O_RDONLY, () => true),
    { code: 'ENOENT' },
  )
})
