import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testFolder } from './folder.ts'

t.test('a second folder of a test leaves the first unchanged', async (t) => {
  const folders: string[] = []
  await t.test('within a test', async (t) => {
    for (let count = 0; count < 3; count++) folders.push(testFolder(t, { a: { b: 'text' } }))
    const [first = ''] = folders
    writeFileSync(join(first, 'mine'), '')
    folders.push(testFolder(t))
    t.equal(new Set(folders).size, 4)
    t.ok(existsSync(join(first, 'mine')))
    for (const folder of folders.slice(0, 3))
      t.equal(readFileSync(join(folder, 'a/b'), 'utf8'), 'text')
  })
  for (const folder of folders) t.notOk(existsSync(folder), 'and none is left')
})
