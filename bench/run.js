/**
 * `npm run bench -- <name> [options]`: runs a benchmark of this folder; without a name lists them.
 */
import { readdirSync } from 'node:fs'

const tools = new Set(['run', 'tree', 'slots', 'measure', 'load', 'catalogue'])
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length))
  .filter((name) => !tools.has(name))
  .sort()

const [name, ...args] = process.argv.slice(2)
const print = (line) => process.stdout.write(`${line}\n`)

if (name === undefined || !names.includes(name)) {
  print('usage: npm run bench -- <name> [options]\n')
  for (const known of names) {
    const { description } = await import(`./${known}.js`)
    print(`  ${known.padEnd(16)} ${description}`)
  }
  process.exitCode = name === undefined ? 0 : 2
} else {
  const { run } = await import(`./${name}.js`)
  await run({ print, args })
}
