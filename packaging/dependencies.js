/** The npm packages that the program needs at run time, and the files of each. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Nothing loads these at run time: headers to compile the driver, and the Node that `bin/` gets.
 */
const unneededPackages = /^(node-addon-api|node-linux-(x64|arm64))$/

/** Files that are loaded at run time, and licences. */
const needed = /\.(js|cjs|mjs|json|node)$|^(license|licence|copying|notice)\b/i
/** Folders at the top of a package that nothing loads at run time. */
const unneeded = /^(tests?|benchmarks?|examples?|docs?|node_modules)$/

const driver = 'node_modules/better-sqlite3'
/** Not its C sources. */
const driverFiles = /^(lib\/|package\.json$|LICENSE$)/
/** Not the coasts with ten times the points, which no map draws. */
const atlas = 'node_modules/world-atlas'
const unusedCoasts = /^(land-.*|countries-10m)\.json$/
/**
 * The part of the SQLite driver that is no JavaScript; the package has those for other systems too.
 */
export const driverBinary = `${driver}/prebuilds/linux-${process.arch}.node`

/** Copies the packages from `from`/node_modules to `to`/node_modules. */
export function copyDependencies({ from, to }) {
  for (const folder of runtimePackages(from))
    for (const file of filesOf(from, folder)) {
      const target = join(to, folder, file)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(from, folder, file), target)
      chmodSync(target, 0o644)
    }
}

/** The folders of all packages that package.json needs, by the lock file. */
export function runtimePackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Set()
  const add = (folder) => {
    const { dependencies = {}, optionalDependencies = {} } = packages[folder]
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (unneededPackages.test(name)) continue
      const dependency = resolve(packages, folder, name)
      if (dependency === undefined) throw new Error(`${folder} needs ${name}: run npm ci`)
      if (found.has(dependency)) continue
      found.add(dependency)
      add(dependency)
    }
  }
  add('')
  return [...found].sort()
}

/** Searches like Node: beside the package, then beside the packages around it. */
function resolve(packages, folder, name) {
  for (let around = folder; ; around = around.slice(0, around.lastIndexOf('node_modules/'))) {
    const candidate = join(around, 'node_modules', name)
    if (packages[candidate] !== undefined) return candidate
    if (around === '') return undefined
  }
}

function filesOf(root, folder) {
  const inside = (path, depth) =>
    readdirSync(join(root, folder, path), { withFileTypes: true }).flatMap((entry) => {
      const name = join(path, entry.name)
      // Settings of tools.
      if (entry.name.startsWith('.')) return []
      if (entry.isFile() && needed.test(entry.name))
        return isCommand(join(root, folder, name)) ? [] : [name]
      if (!entry.isDirectory()) return []
      return depth === 0 && unneeded.test(entry.name) ? [] : inside(name, depth + 1)
    })
  const files = inside('', 0)
  if (folder === atlas) return files.filter((file) => !unusedCoasts.test(file))
  if (folder !== driver) return files
  return files.filter((file) => driverFiles.test(file) || join(folder, file) === driverBinary)
}

/** A command of a package for the shell, which nothing loads. */
function isCommand(file) {
  return readFileSync(file).subarray(0, 2).equals(Buffer.from('#!'))
}
