/**
 * The Containerfile: every file that it copies exists, nothing runs as root, and it contains no
 * secret.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { optionKeys } from '../src/config/options.ts'
import t, { exact } from './tap.ts'

interface Instruction {
  readonly name: string
  readonly words: readonly string[]
}

/** Each stage with its instructions; the last one is the image. */
function parseStages(text: string): { name: string | undefined; instructions: Instruction[] }[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { name: string | undefined; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [name = '', ...words] = line.trim().split(/\s+/)
    if (name === 'FROM') stages.push({ name: words[2], instructions: [] })
    stages.at(-1)?.instructions.push({ name, words })
  }
  return stages
}

const file = 'packaging/Containerfile'
const text = readFileSync(file, 'utf8')
const stages = parseStages(text)
const image = stages.at(-1)?.instructions ?? []
const argumentsOf = (name: string) =>
  image.filter((line) => line.name === name).map(({ words }) => words)

t.test('every file that the image copies exists, and is sent to the builder', async (t) => {
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n')
  t.ok(ignored.includes('*'))
  const sent = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  const used = new Set<string>()
  for (const { instructions } of stages)
    for (const { name, words } of instructions) {
      t.not(name, 'ADD')
      if (name !== 'COPY' || words[0]?.startsWith('--from=')) continue
      for (const source of words.slice(0, -1)) {
        t.ok(existsSync(source), source)
        const allowed = sent.find((path) => source === path || source.startsWith(`${path}/`))
        t.ok(allowed, `${source} is sent`)
        if (allowed !== undefined) used.add(allowed)
      }
    }
  t.strictSame([...used].sort(), sent.sort(), 'no other files are sent')
})

t.test('a stage copies only from stages before it', async (t) => {
  let copies = 0
  for (const [index, { instructions }] of stages.entries()) {
    const before = stages.slice(0, index).map(({ name }) => name)
    for (const { name, words } of instructions)
      if (name === 'COPY' && words[0]?.startsWith('--from=')) {
        t.ok(before.includes(words[0].slice('--from='.length)), words.join(' '))
        copies++
      }
  }
  t.ok(copies > 0, 'a stage copies')
})

t.test(
  'the image has the program and the locked dependencies without development packages',
  async (t) => {
    t.match(text, /^RUN npm ci --omit=dev /m)
    t.notMatch(text, /npm (install|i) /)
    const copied = argumentsOf('COPY').map((words) => words.join(' '))
    t.ok(copied.includes('--from=dependencies /build/node_modules node_modules'))
    t.ok(copied.includes('--from=build /build/dist dist'))
    t.strictSame(argumentsOf('ENTRYPOINT'), [
      ['["node",', '"--disable-sigusr1",', '"dist/cli.js"]'],
    ])
  },
)

t.test('the image has the Node with which a checkout runs', async (t) => {
  const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  const versions = new Set(Object.values(optionalDependencies))
  t.strictSame([...versions], [/^ARG NODE_VERSION=(\S+)$/m.exec(text)?.[1]])
})

t.test('the image runs as a user without privileges, and contains no secret', async (t) => {
  const users = argumentsOf('USER')
  t.match(users, exact([[/^[1-9]\d+:[1-9]\d+$/]]))
  t.strictSame(image.map(({ name }) => name).slice(-4), ['USER', 'STOPSIGNAL', 'ENTRYPOINT', 'CMD'])
  t.notMatch(text, /(token|secret|password|key)\s*=/i)
  const names = Array.from(text.matchAll(/RINEX_CATALOGUE_(\w+)=/g), ([, name = '']) =>
    name.toLowerCase(),
  )
  for (const name of names) t.ok((optionKeys as readonly string[]).includes(name), name)
  t.ok(names.includes('archive') && names.includes('database'))
})

/** A program that builds images here. */
const builder = ['podman', 'buildah', 'docker'].find(
  (program) => spawnSync(program, ['info'], { stdio: 'ignore' }).status === 0,
)
const skip =
  builder === undefined
    ? 'no podman, buildah or docker with a daemon here'
    : process.env['SLOW'] !== '1' && 'it downloads an image; SLOW=1 runs it'

t.test('the image builds and runs on a read-only root', { skip, timeout: 900_000 }, async (t) => {
  const program = builder ?? ''
  const run = (...args: string[]) => execFileSync(program, args, { encoding: 'utf8' })
  run('build', '-f', file, '-t', 'rinex-catalogue:test', '.')
  if (program === 'buildah') return
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const flags = ['--rm', '--read-only', '--network=none', '--cap-drop=all']
  t.match(run('run', ...flags, 'rinex-catalogue:test', '--version'), version)
})
