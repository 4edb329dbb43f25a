/**
 * A directory with 200,000 files is catalogued in parts: a kill between two parts costs nothing,
 * the memory of the indexer stays small, and it answers meanwhile.
 */
import { closeSync, mkdirSync, openSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { testFolder } from '../folder.ts'
import t from '../tap.ts'
import { longestMs, memoryOf, slow, startService, stop, until } from './service.ts'

const files = 200_000
const old = new Date('2026-01-05T00:00:00Z')

t.setTimeout(longestMs)

t.test(
  'a directory with 200,000 files',
  { skip: slow ? false : 'takes a minute: runs with SLOW=1' },
  async (t) => {
    const folder = testFolder(t)
    const directory = join(folder, 'archive/obs/all')
    mkdirSync(directory, { recursive: true })
    for (let index = 0; index < files; index++) {
      const site = index.toString(36).toUpperCase().padStart(4, '0')
      const path = join(directory, `${site}00AUT_R_20250010000_01D_30S_MO.crx.gz`)
      closeSync(openSync(path, 'w'))
      utimesSync(path, old, old)
    }
    // As in the systemd unit.
    const wrapIndexer = ['env', 'NODE_OPTIONS=--max-semi-space-size=8 --max-old-space-size=512']
    const options = { CHECKSUMS: 'none', SWEEP_INTERVAL_SECONDS: '2' }
    const service = await startService(t, folder, { wrapIndexer, options })
    await until('the first part is written', async () => (await service.count()) > 0)
    await stop(service.indexer, 'SIGKILL')
    const first = await service.count()
    t.ok(first < files, `${first} files were written before the kill`)
    service.startIndexer()
    await until('all are written', async () => (await service.count()) === files)
    await until('the indexer is ready', service.ready)
    utimesSync(directory, old, new Date())
    const swept = async () => (await service.status()).last_sweep
    const before = await swept()
    await until('the directory is read again', async () => (await swept()) !== before)
    const peakMb = memoryOf(service.indexer, 'VmHWM') / 1024 ** 2
    t.ok(peakMb < 350, `${Math.round(peakMb)} MB`)
    t.equal(await service.check(), 'nothing differs\n')
  },
)
