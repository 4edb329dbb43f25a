/**
 * The dependencies of the lock file: without known vulnerabilities, for the Node in use, with exact
 * versions and hashes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { minVersion, satisfies } from 'semver'
import t from './tap.ts'

interface Locked {
  readonly version: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly engines?: { readonly node?: string }
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>
const manifest = read('package.json')
const packages = Object.entries(read('package-lock.json')['packages'] ?? {}) as [string, Locked][]
const installed = packages.filter(([folder, { link }]) => folder !== '' && link !== true)

/**
 * First versions without known vulnerabilities that concern this service, one for each major
 * version in use.
 */
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
      const isFixed = firsts.some((first) => satisfies(version, `^${first}`))
      t.ok(isFixed, `${folder} ${version}`)
    }
  }
  for (const name of unwanted)
    t.notOk(
      installed.some(([folder]) => folder.endsWith(`node_modules/${name}`)),
      name,
    )
})

t.test('npm installs on Node 20.19, and every package runs on the Node in use', async (t) => {
  const { node = '' } = manifest['engines'] as { node?: string }
  t.equal(minVersion(node)?.version, '20.19.0', 'what the installation needs')
  const brought = Object.values(manifest['optionalDependencies'] ?? {}) as string[]
  t.equal(new Set(brought).size, 1, 'one version for all machines')
  for (const [folder, { engines, dev }] of installed) {
    if (engines?.node === undefined) continue
    // npm before version 11 runs the tools with the Node of the machine.
    for (const version of [dev === true ? '20.19.0' : '22.14.0', ...brought])
      t.ok(satisfies(version, engines.node), `${folder} on ${version}: ${engines.node}`)
  }
})

t.test('npm runs no script of a package, and is not stopped by a newer engine', async (t) => {
  const settings = readFileSync('.npmrc', 'utf8').trim().split('\n')
  t.strictSame(settings, ['omit-lockfile-registry-resolved=true', 'ignore-scripts=true'])
})

t.test('versions are exact, and the lock file has all versions with their hashes', async (t) => {
  for (const kind of ['dependencies', 'optionalDependencies', 'devDependencies'])
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
