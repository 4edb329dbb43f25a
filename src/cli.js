/**
 * Starts the program: looks at its Node, runs one command and ends the process with its exit code.
 * Plain JavaScript, because a Node that is too old cannot read TypeScript and must still be told.
 */
import process from 'node:process'

/**
 * The database driver ends an older Node with a segmentation fault (better-sqlite3 13). The sources
 * of a checkout need a Node that strips types by default; a package contains JavaScript.
 */
const needed = import.meta.url.endsWith('/src/cli.js') ? '22.18' : '22.14'

/** @param {string} version */
function isOlder(version) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = version.split('.').map(Number)
  return major < neededMajor || (major === neededMajor && minor < neededMinor)
}

// Node would open its debugger on this signal, and every user of the machine could run code in this
// process. With --disable-sigusr1, as in bin/ and systemd/, it does not, but the signal ends it.
process.on('SIGUSR1', () => undefined)

if (isOlder(needed)) {
  process.stderr.write(
    `rinex-catalogue needs Node ${needed} or newer; this is ${process.versions.node}. ` +
      'In a checkout on Linux, npx rinex-catalogue runs with the Node that npm ci installs.\n',
  )
  process.exit(78)
}

const { runCommandLine } = await import('./command-line.ts')
const { endWithReader } = await import('./runtime/program.ts')
endWithReader()
const exitCode = await runCommandLine(process.argv)
// The process must not end merely because it is idle, see lifecycle.ts. The callback runs when all
// output is written.
process.stdout.write('', () => process.exit(exitCode))
