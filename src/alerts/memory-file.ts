/** The announced alerts and the messages that are not delivered, in a file. */
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AlertMemory } from './announcements.ts'

const version = 1

export interface MemoryFile {
  /** Nothing if there is no file. @throws SyntaxError if it was not written by `store` */
  load(): Promise<AlertMemory>
  /** Replaces the file; after a crash it is the old or the new one. */
  store(memory: AlertMemory): Promise<void>
}

export function openMemoryFile(path: string): MemoryFile {
  return {
    async load() {
      const text = await readFile(path, 'utf8').catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      })
      if (text === undefined) return { open: [], messages: [] }
      const memory = JSON.parse(text) as (AlertMemory & { readonly version?: number }) | null
      if (memory?.version !== version) throw new SyntaxError(`not of version ${version}`)
      return memory
    },
    async store({ open: alerts, messages }) {
      await mkdir(dirname(path), { recursive: true })
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify({ version, open: alerts, messages }))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
    },
  }
}
