/** The dependencies of the lock file: without known vulnerabilities, for Node 20, with exact versions and hashes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.ts'

interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly engines?: { readonly node?: string }
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>
const manifest = read('package.json')
const packages = Object.entries(read('package-lock.json')['packages'] ?? {}) as [string, Locked][]
const installed = packages.filter(([folder, { link }]) => folder !== '' && link !== true)

type Version = readonly [number, number, number]

function parseVersion(text: string): Version {
  const [major = 0, minor = 0, patch = 0] = text
    .split(/[.+-]/)
    .map((part) => Number.parseInt(part) || 0)
  return [major, minor, patch]
}

function compare(a: Version, b: Version): number {
  const at = a.findIndex((part, n) => part !== b[n])
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
}

/** Whether a version is in a range of `engines`. @throws for unknown forms of ranges */
function satisfies(version: Version, range: string): boolean {
  return range.split('||').some((set) => {
    // `>= 20` is one condition.
    const conditions = set
      .trim()
      .replaceAll(/([<>=^~]) +/g, '$1')
      .split(/\s+/)
    return conditions.every((condition) => {
      if (condition === '*' || condition === '') return true
      const [, operator, text = ''] = /^(>=|<=|>|<|\^|~|=?)v?(\d[\d.x*]*)/.exec(condition) ?? []
      const bound = parseVersion(text)
      const length = text.split('.').filter((part) => /^\d/.test(part)).length
      const isSame = (parts: number) =>
        bound.slice(0, parts).every((part, n) => part === version[n])
      if (operator === '>=') return compare(version, bound) >= 0
      if (operator === '>') return compare(version, bound) > 0
      if (operator === '<=') return compare(version, bound) <= 0
      if (operator === '<') return compare(version, bound) < 0
      if (operator === '^') return isSame(1) && compare(version, bound) >= 0
      if (operator === '~') return isSame(Math.min(2, length)) && compare(version, bound) >= 0
      if (operator === undefined) throw new Error(`unknown range: ${range}`)
      return isSame(length)
    })
  })
}

/** First versions without known vulnerabilities that concern this service, one for each major version in use. */
const floors: Readonly<Record<string, readonly string[]>> = {
  // %2F and `..` bypassed the guards of routes, and a listing showed other directories.
  '@fastify/static': ['10.1.3'],
  // Headers of untrusted proxies were trusted, and a body with another type was accepted.
  fastify: ['5.12.2'],
  // Other parsers saw another host in the same URL.
  'fast-uri': ['3.1.7', '4.1.4'],
}

/** They normalise paths differently from the router, which bypassed guards several times. */
const unwanted = ['@fastify/middie', '@fastify/express']

t.test('no package has a known vulnerability', async (t) => {
  for (const [name, firsts] of Object.entries(floors)) {
    const found = installed.filter(([folder]) => folder.endsWith(`node_modules/${name}`))
    t.ok(found.length > 0, `${name} is installed`)
    for (const [folder, { version }] of found) {
      const isFixed = firsts.some((first) => satisfies(parseVersion(version), `^${first}`))
      t.ok(isFixed, `${folder} ${version}`)
    }
  }
  for (const name of unwanted)
    t.notOk(
      installed.some(([folder]) => folder.endsWith(`node_modules/${name}`)),
      name,
    )
})

t.test('every package runs on the oldest supported version of Node', async (t) => {
  const oldest = /\d+\.\d+/.exec((manifest['engines'] as { node: string }).node)?.[0] ?? ''
  t.equal(oldest, '20.19')
  for (const [folder, { engines, optional }] of installed)
    if (engines?.node !== undefined && optional !== true)
      t.ok(satisfies(parseVersion(oldest), engines.node), `${folder}: ${engines.node}`)
  t.match(readFileSync('.npmrc', 'utf8'), /^engine-strict=true$/m, 'npm refuses others')
})

t.test('a version is compared correctly with a range of versions', async (t) => {
  const cases: [range: string, fits: boolean][] = [
    ['>=18', true],
    ['>= 20.19.1', false],
    ['^18.17.0 || >=20.5', true],
    ['^20.20', false],
    ['20 || >=22', true],
    ['20.x', true],
    ['>=12 <20', false],
    ['~20.19.0', true],
    ['22', false],
    ['*', true],
  ]
  for (const [range, fits] of cases) t.equal(satisfies([20, 19, 0], range), fits, range)
  t.throws(() => satisfies([20, 19, 0], 'latest'))
})

t.test('versions are exact, and the lock file has all versions with their hashes', async (t) => {
  for (const kind of ['dependencies', 'devDependencies'])
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      t.match(version, /^\d+\.\d+\.\d+$/, name)
      const [, locked] = installed.find(([folder]) => folder === join('node_modules', name)) ?? []
      t.equal(locked?.version, version, name)
    }
  const without = installed.filter(([, { integrity }]) => integrity === undefined)
  t.same(
    without.map(([folder]) => folder),
    [],
    'hashes',
  )
})
