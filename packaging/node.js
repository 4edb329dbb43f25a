/**
 * The Node.js program that the package carries: the system libraries that it needs, and its
 * licence.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Debian's packages of the libraries that Node and the SQLite driver may need. */
const providers = [
  [/^(ld-linux.*|libc|libm|libdl|libpthread|librt)\.so/, 'libc6'],
  [/^libstdc\+\+\.so/, 'libstdc++6'],
  [/^libgcc_s\.so/, 'libgcc-s1'],
  [/^libatomic\.so/, 'libatomic1'],
]

/**
 * The first version of libstdc++6 with a version of its symbols, by the number after
 * `GLIBCXX_3.4.`.
 */
const firstLibstdcxx = { 21: '5', 22: '6', 24: '7', 25: '8', 28: '9', 29: '11', 30: '12', 32: '13' }

/**
 * The dependencies of these binaries on system libraries.
 * @throws if they need others, as Debian's own Node does: it belongs to one release of Debian
 */
export function libraryDependencies(binaries) {
  const packages = new Set()
  for (const binary of binaries)
    for (const line of execFileSync('ldd', [binary], { encoding: 'utf8' }).split('\n')) {
      const library = basename(line.trim().split(' ')[0])
      if (library === '' || library.startsWith('linux-vdso')) continue
      const provider = providers.find(([pattern]) => pattern.test(library))?.[1]
      if (provider === undefined)
        throw new Error(
          `${binary} needs ${library} of this system: run npm ci, and npm run package`,
        )
      packages.add(provider)
    }
  const symbols = binaries.map((binary) => readFileSync(binary, 'latin1')).join('\n')
  return [...packages].sort().map((name) => {
    if (name === 'libc6') return `libc6 (>= 2.${newest(symbols, /\bGLIBC_2\.(\d+)/g)})`
    if (name !== 'libstdc++6') return name
    const minor = newest(symbols, /\bGLIBCXX_3\.4\.(\d+)/g)
    const first = Object.entries(firstLibstdcxx).find(([known]) => Number(known) >= minor)
    return `libstdc++6 (>= ${first?.[1] ?? '14'})`
  })
}

function newest(text, pattern) {
  return Math.max(...Array.from(text.matchAll(pattern), ([, minor]) => Number(minor)))
}

/** The licence that was installed with this Node; a link to it where there is none. */
export function nodeLicence() {
  const places = [join(dirname(dirname(process.execPath)), 'LICENSE'), '/usr/share/doc/nodejs']
  const files = [places[0], join(places[1], 'LICENSE'), join(places[1], 'copyright')]
  const file = files.find((path) => existsSync(path) && isOfNode(path))
  if (file !== undefined) return readFileSync(file, 'utf8')
  return `The licence of Node.js: https://github.com/nodejs/node/blob/${process.version}/LICENSE\n`
}

function isOfNode(path) {
  return readFileSync(path, 'utf8').startsWith('Node.js is licensed')
}
