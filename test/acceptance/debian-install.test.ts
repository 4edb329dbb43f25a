/**
 * With SLOW=1: the package installs, runs, is upgraded and is purged in a clean Debian. It needs
 * root and the mirror of apt.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'

function lacks(): string | false {
  if (process.env['SLOW'] !== '1') return 'it downloads a Debian; SLOW=1 runs it'
  if (process.getuid?.() !== 0) return 'only root can make a Debian tree'
  for (const program of ['debootstrap', 'dpkg-deb', 'curl'])
    if (spawnSync(program, ['--version']).error !== undefined) return `no ${program} here`
  return false
}

t.test('the package works in a clean Debian', { skip: lacks(), timeout: 900_000 }, async (t) => {
  const build = ['packaging/build.js', '--output', testFolder(t)]
  const env = { ...process.env, MAINTAINER: 'Archive <archive@example.org>' }
  const file = execFileSync(process.execPath, build, { encoding: 'utf8', env }).trim()
  const { error } = spawnSync('lintian', ['--version'])
  t.test(
    'lintian finds no fault',
    { skip: error !== undefined && 'no lintian here' },
    async (t) => {
      const { status, stdout } = spawnSync(
        'lintian',
        ['--allow-root', '--fail-on', 'error,warning', file],
        {
          encoding: 'utf8',
        },
      )
      t.equal(status, 0, stdout)
    },
  )
  const { status, stdout, stderr } = spawnSync('packaging/try-install.sh', [file], {
    encoding: 'utf8',
  })
  t.equal(status, 0, 'it installs, runs, and leaves nothing', { stdout, stderr })
})
