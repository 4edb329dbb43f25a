/**
 * A file that changes while a hundred clients download it: each gets one whole version, or an answer that breaks off
 * or says to come back.
 */
import { closeSync, openSync, renameSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t from 'tap'
import { longestMs, slow, startService, until, needsTime } from './service.ts'
import type { Service } from './service.ts'
import { arrive, dayDirectory, pathIn } from './tree.ts'
import { testFolder } from '../folder.ts'

const clients = slow ? 100 : 10
const sizes = { small: 100_000, large: 4_000_000 }

/** A gzip stream of one byte over and over, so that any mixture shows; stored, so that it is as long as it says. */
function version(byte: number, size: number): Buffer {
  return gzipSync(Buffer.alloc(size, byte), { level: 0 })
}

const ways: Readonly<Record<string, (path: string, next: Buffer) => void>> = {
  'cut short': (path, next) => {
    truncateSync(path, Math.floor(next.length / 2))
  },
  'replaced by another': (path, next) => {
    writeFileSync(`${path}.part`, next)
    renameSync(`${path}.part`, path)
  },
  'written over in place': (path, next) => {
    const file = openSync(path, 'r+')
    writeSync(file, next)
    closeSync(file)
  },
}

t.setTimeout(longestMs)

for (const [kind, size] of Object.entries(sizes))
  for (const [way, change] of Object.entries(ways))
    t.test(`a file that is ${way}: ${kind}`, { skip: needsTime }, async (t) => {
      const service = await startService(t, testFolder(t))
      const path = pathIn(dayDirectory(), 0)
      arrive(service.archive, path, version(1, size))
      await until('it can be fetched', async () => (await fetchOf(service, path)).byte === 1)
      for (let byte = 2; byte < 4; byte++) {
        // All have begun before it changes, and none goes on until it has.
        const begun = Array.from({ length: clients }, () => begin(service, path))
        const goOn = await Promise.all(begun)
        change(join(service.archive, path), version(byte, size))
        const seen = await Promise.all(goOn.map((read) => read()))
        const mixed = seen.filter(({ byte: seenByte }) => seenByte === 'mixed')
        t.equal(mixed.length, 0, 'nobody got parts of two versions')
        t.comment(JSON.stringify(countOf(seen.map((one) => one.byte ?? one.status))))
        writeFileSync(`${join(service.archive, path)}.part`, version(byte, size))
        renameSync(`${join(service.archive, path)}.part`, join(service.archive, path))
        await until('the new version is there', async () => {
          const { byte: now } = await fetchOf(service, path)
          if (now === 'mixed') throw new Error('parts of two versions')
          return now === byte
        })
      }
    })

interface Seen {
  readonly status: number
  /** What all of the file consists of; `undefined` of an answer that is none, or that broke off. */
  readonly byte: number | 'mixed' | undefined
}

async function fetchOf(service: Service, path: string): Promise<Seen> {
  return (await begin(service, path))()
}

/** Requests a file, and reads only its headers until the caller continues. */
function begin(service: Service, path: string): Promise<() => Promise<Seen>> {
  return new Promise((resolve) => {
    const url = new URL(`/rinex/data/${path}`, service.url)
    const asked = get(url, { agent: false }, (response) => {
      resolve(
        () =>
          new Promise((tell) => {
            const { statusCode: status = 0 } = response
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('error', () => {
              tell({ status, byte: undefined })
            })
            response.on('end', () => {
              tell({ status, byte: status === 200 ? byteOf(Buffer.concat(chunks)) : undefined })
            })
          }),
      )
    })
    asked.on('error', () => {
      resolve(() => Promise.resolve({ status: 0, byte: undefined }))
    })
  })
}

function byteOf(body: Buffer): number | 'mixed' {
  try {
    const content = gunzipSync(body)
    const [first = 0] = content
    return content.every((byte) => byte === first) ? first : 'mixed'
  } catch {
    return 'mixed'
  }
}

function countOf(values: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
