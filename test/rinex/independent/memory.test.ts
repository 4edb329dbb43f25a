/**
 * The reader keeps little, whatever it reads: it runs in a thread that ends when it uses more
 * memory.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import t from '../../tap.ts'

const megabytes = process.env['SLOW'] === '1' ? 300 : 30
/** Of the thread, with its code. */
const most = { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 16 }

const texts = [
  'a line without an end',
  'a header without an end',
  'a header line without an end',
  'empty lines',
  'epochs with other steps each',
  'epochs with many satellites',
  'Compact RINEX epochs with other satellites each',
  'Compact RINEX epochs that grow',
  'lines that are no epochs',
  'events with other types each',
]

for (const title of texts)
  t.test(`reading ${title} needs little memory`, async (t) => {
    const worker = new Worker(new URL('memory-reader.ts', import.meta.url), {
      workerData: { title, megabytes },
      resourceLimits: most,
    })
    const [{ buffers, bytes }] = (await once(worker, 'message')) as [
      { buffers: number; bytes: number },
    ]
    t.ok(bytes > 0)
    t.ok(buffers < 16e6, `${buffers} bytes of buffers`)
  })
