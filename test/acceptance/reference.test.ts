/** The first commands of the reference work as they are, in the languages that are here. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { fetchAlone, lacks, longestMs, startScanned, timeoutMs, until } from './service.ts'
import { dayDirectory, paths } from './tree.ts'

t.setTimeout(longestMs)

const entities: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
}

const languages = [
  { language: 'curl', program: ['bash', '-c'], needs: ['bash', 'curl'] },
  { language: 'Python', program: ['python3', '-c'], needs: ['python3'] },
  { language: 'R', program: ['Rscript', '-e'], needs: ['Rscript'] },
]

const days = [dayDirectory(2), dayDirectory(3), dayDirectory(5)]
const files = days.flatMap((directory) => paths(directory, 1))
const service = await startScanned(t, files)

/** Why the commands of a language cannot run here. */
function lacking(programs: readonly string[]): string | false {
  const reasons = programs.map((name) => lacks(name, `command -v ${name}`))
  return reasons.find((reason) => reason !== false) ?? false
}

async function firstCommands(language: string): Promise<string[]> {
  const url = new URL('/rinex/api/docs/', service.url)
  const page = await (await fetchAlone(url, { headers: { accept: 'text/html' } })).text()
  const block = `<p class="quiet">${language}</p>\\s*<div class="command row"><pre tabindex="0"><code>([^<]*)</code>`
  return Array.from(page.matchAll(new RegExp(block, 'g')), ([, text = '']) =>
    text.replaceAll(/&[#\w]+;/g, (entity) => entities[entity] ?? entity),
  )
}

for (const { language, program, needs } of languages)
  t.test(language, { skip: lacking(needs) }, async (t) => {
    await until('the page knows the station', async () =>
      (await firstCommands('curl')).some((text) => text.includes('A00000AUT')),
    )
    const commands = await firstCommands(language)
    t.equal(commands.length, 3)
    const folder = testFolder(t)
    const outputs: string[] = []
    for (const command of commands) {
      const [name = '', flag = ''] = program
      const options = { cwd: folder, timeout: timeoutMs }
      const { stdout } = await promisify(execFile)(name, [flag, command], options)
      outputs.push(stdout)
    }
    const [list = '', , complete = ''] = outputs
    for (const path of files) t.ok(list.includes(path.slice(path.lastIndexOf('/') + 1)), path)
    const newest = files[0] ?? ''
    t.strictSame(readdirSync(folder), [newest.slice(newest.lastIndexOf('/') + 1)])
    t.ok(
      readFileSync(join(folder, readdirSync(folder)[0] ?? '')).equals(
        readFileSync(join(service.archive, newest)),
      ),
      'the file is complete',
    )
    t.match(complete, '0.75', 'three of four days')
  })
