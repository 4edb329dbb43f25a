import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import t from './tap.ts'

const page = 'docs/man/rinex-catalogue.1'

t.test('the manual page names every command and exit status', async (t) => {
  const text = readFileSync(page, 'utf8')
  const commands = ['start', 'index', 'serve', 'rescan', 'status', 'check']
  commands.push('backup', 'restore', 'copy', 'parse', 'describe', 'check-config')
  for (const command of commands) t.match(text, new RegExp(`^\\.It Cm ${command}\\b`, 'm'), command)
  for (const status of [0, 1, 2, 78])
    t.match(text, new RegExp(`^\\.It ${status}$`, 'm'), `${status}`)
})

t.test('the manual page has the arguments of the help', async (t) => {
  const text = readFileSync(page, 'utf8')
  for (const [command, name] of [
    ['parse', 'name'],
    ['rescan', 'path'],
  ] as const) {
    const { stdout } = spawnSync(process.execPath, ['src/cli.js', command, '--help'], {
      encoding: 'utf8',
    })
    t.match(stdout, `Usage: rinex-catalogue ${command} [options] [${name}...]\n`)
    t.match(text, new RegExp(`^\\.Cm ${command}\n(\\.Op .*\n)*\\.Op Ar ${name} \\.\\.\\.$`, 'm'))
    t.match(text, new RegExp(`^\\.It Cm ${command} .*Op Ar ${name} \\.\\.\\.$`, 'm'))
  }
})

const { error } = spawnSync('groff', ['--version'])
const skip = error !== undefined && 'no groff here'

t.test('the manual page is formatted without a warning', { skip }, async (t) => {
  const options = ['-ww', '-z', '-mandoc', '-Tutf8', page]
  const { status, stderr } = spawnSync('groff', options, { encoding: 'utf8' })
  t.strictSame({ status, stderr }, { status: 0, stderr: '' })
})
