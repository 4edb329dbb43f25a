/**
 * With SLOW=1: the client in docs/api.md compiles with the types of the OpenAPI document, and runs.
 * The test installs packages.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { longestMs, slow, startService, until } from './service.ts'
import { put } from './tree.ts'

const packages = ['openapi-fetch@0.17.0', 'openapi-typescript@7.13.0', 'typescript@5.9.3']
const day = 'obs/2026/022'
const names = ['GRAZ00AUT_R_20260220000_01D_30S_MO.crx.gz', 'graz0220.26d.gz', 'onsa0220.26d.gz']

t.setTimeout(longestMs)

const skip = !slow && 'it installs packages; SLOW=1 runs it'

t.test('the client in docs/api.md', { skip }, async (t) => {
  const folder = testFolder(t, {
    'package.json': '{ "type": "module", "private": true }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        module: 'nodenext',
        lib: ['es2023', 'dom'],
        types: [],
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
      },
      include: ['client.ts'],
    }),
  })
  for (const name of names) put(join(folder, 'archive'), `${day}/${name}`, gzipSync(name))
  const service = await startService(t, folder)
  await until('the first scan ends', service.ready)
  const isHashed = async () => {
    const { body } = await service.get('/rinex/api/status/')
    return (body as { checksums: { files: number } }).checksums.files === names.length
  }
  await until('all files are hashed', isHashed)

  const run = async (program: string, ...args: string[]) =>
    (await promisify(execFile)(program, args, { cwd: folder })).stdout
  const [, client = ''] = /^```ts\n(.*?)^```$/ms.exec(readFileSync('docs/api.md', 'utf8')) ?? []
  writeFileSync(
    join(folder, 'client.ts'),
    client.replace('http://127.0.0.1:8080', service.url.origin),
  )
  await run('npm', 'install', '--no-audit', '--no-fund', ...packages)
  const bin = (name: string) => join(folder, 'node_modules', ...name.split('/'))
  const generator = bin('openapi-typescript/bin/cli.js')
  t.ok(existsSync(generator))
  const schema = new URL('/rinex/api/schema/', service.url).href
  await run(process.execPath, generator, schema, '-o', 'catalogue.ts')
  t.equal(await run(process.execPath, bin('typescript/bin/tsc'), '-p', '.'), '', 'it has no error')
  const printed = await run(process.execPath, 'client.ts')
  t.match(
    printed,
    /^graz0220.26d.gz 2026-01-22T00:00:00Z [0-9a-f]{64}\nGRAZ00AUT\S+ 2026-\S+ [0-9a-f]{64}\n$/,
    'and prints the files of the station',
  )
})
