import { statSync } from 'node:fs'
import t from 'tap'
import { isLocalFile, openLocalDevices } from '../../src/api/local-file.ts'
import { testFolder } from '../folder.ts'
import { until } from './wire.ts'

t.test('a file system of the kernel itself is none of files', async (t) => {
  t.notOk(await isLocalFile('/proc/self/status'))
})

t.test('a device is local when it has said so', async (t) => {
  const folder = testFolder(t)
  const { dev } = statSync(folder)
  const isLocal = openLocalDevices()
  const expected = await isLocalFile(folder)
  t.notOk(isLocal(dev, folder), 'not before')
  await until(() => isLocal(dev, '/nowhere') === expected, 'it has told')
  t.notOk(isLocal(-1, '/nowhere'))
  t.notOk(isLocal(-1, '/nowhere'), 'nor one that does not answer')
})
