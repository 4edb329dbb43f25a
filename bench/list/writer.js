/** Prints its rate, then adds and removes files at this rate until it is killed. */
import { openWriter } from '../../dist/catalogue/sqlite/writer.js'
import { changeOf } from '../catalogue.js'

const rate = 5000
const perTransaction = 500

let us = Date.now() * 1000
const writer = openWriter({ database: process.argv[2], nowUs: () => us++ })
process.stdout.write(`${rate}\n`)
let begun = performance.now()
for (let count = 0; ; count++) {
  const path = `nrt/2026/100/${String(count % 24).padStart(2, '0')}`
  const known = await writer.directory(path)
  const removed = [...(known?.files.values() ?? [])].map(({ id }) => id)
  const names = Array.from(
    { length: perTransaction - removed.length },
    (_, index) =>
      `z${String(index).padStart(3, '0')}100${'abcdefghijklmnopqrstuvwx'[count % 24]}.26d.gz`,
  )
  await writer.apply([{ ...changeOf({ path, names }, Date.now() * 1000), removed }])
  const dueMs = begun + ((count + 1) * perTransaction * 1000) / rate
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
}
