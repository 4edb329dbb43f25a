/** Lists in documents are complete, and no file names the machine it was made on. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from './tap.ts'

const decisions = 'docs/decisions'

/** All tracked files; `undefined` outside a checkout. */
function trackedFiles(): string[] | undefined {
  try {
    const output = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', stdio: 'pipe' })
    const files = output.split('\0').filter((file) => file !== '' && existsSync(file))
    return files.length > 0 ? files : undefined
  } catch {
    return undefined
  }
}

const files = trackedFiles()
const skip = files === undefined && 'this is not a checkout'

/** Lines of all tracked text files that a pattern finds, as `file:line: text`. */
function linesWith(pattern: RegExp): string[] {
  return (files ?? []).flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    if (text.includes('\0')) return []
    const lines = text.split('\n').map((line, index) => `${file}:${index + 1}: ${line.trim()}`)
    return lines.filter((line) => pattern.test(line.slice(file.length)))
  })
}

t.test('every source folder is named in docs/ARCHITECTURE.md', async (t) => {
  const text = readFileSync('docs/ARCHITECTURE.md', 'utf8')
  const named = Array.from(text.matchAll(/^- `(src\/[^`]+)`: /gm), ([, folder]) => folder)
  const folders = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.parentPath !== 'src')
    .map((entry) => entry.parentPath)
  t.strictSame(named.toSorted(), [...new Set(folders)].toSorted())
  t.ok(text.split('\n').length <= 250, 'it is short enough to be read')
})

t.test('the index of decisions links every decision, in order', async (t) => {
  const index = readFileSync(join(decisions, 'README.md'), 'utf8')
  const linked = Array.from(index.matchAll(/^- \[\d+\. .+\]\((.+\.md)\)$/gm), ([, file]) => file)
  const written = readdirSync(decisions).filter((file) => file !== 'README.md')
  t.strictSame(linked, written.toSorted())
  for (const file of written) {
    const number = Number(file.slice(0, 4))
    const [title = ''] = readFileSync(join(decisions, file), 'utf8').split('\n')
    t.match(title, new RegExp(`^# ${number}\\. `), file)
    t.ok(index.includes(`- [${number}. `), `${file} is linked by its number`)
  }
})

t.test('every dependency has its reason in the decisions', async (t) => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, object>
  const reasons = readFileSync(join(decisions, '0011-dependencies.md'), 'utf8')
  for (const kind of ['dependencies', 'devDependencies'])
    for (const name of Object.keys(manifest[kind] ?? {}))
      t.ok(reasons.includes(`\`${name}\``), name)
})

t.test('links between documents lead to files that exist', { skip }, async (t) => {
  for (const file of files?.filter((name) => name.endsWith('.md')) ?? [])
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g))
      if (!target.includes(':')) t.ok(existsSync(join(dirname(file), target)), `${file}: ${target}`)
})

/** The anchors of a document: its headings as the web pages of repositories spell them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)
  const words = Array.from(headings, ([, heading = '']) => heading.toLowerCase())
  return new Set(
    words.map((word) => word.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')),
  )
}

t.test('links to headings lead to headings that exist', { skip }, async (t) => {
  let links = 0
  for (const file of files?.filter((name) => name.endsWith('.md')) ?? [])
    for (const [, target = '', anchor = ''] of readFileSync(file, 'utf8').matchAll(
      /\]\(([^)#\s:]*)#([^)\s]+)\)/g,
    )) {
      const document = target === '' ? file : join(dirname(file), target)
      t.ok(anchorsOf(readFileSync(document, 'utf8')).has(anchor), `${file}: ${target}#${anchor}`)
      links++
    }
  t.ok(links > 30, 'there are such links')
})

t.test('tables are narrow enough to be read as text', { skip }, async (t) => {
  const wide = linesWith(/^\S+: \|.{200}/)
  t.strictSame(
    wide.filter((line) => line.includes('.md:')),
    [],
  )
})

t.test('no file names a path of somebody’s machine', { skip }, async (t) => {
  // Only folders below them: the systemd units name the directories themselves.
  t.strictSame(linesWith(/(?<![\w.$~}-])\/(tmp|root|work|home)\/\w/), [])
})

t.test('no file names a package registry', { skip }, async (t) => {
  t.strictSame(linesWith(/\bregistry\.[\w-]+\.[a-z]{2,}|https?:\/\/[^\s/]*npm/), [])
  t.notMatch(readFileSync('package-lock.json', 'utf8'), /"resolved"/)
})
