import { rmSync, statSync, writeFileSync } from 'node:fs'

/** Waits until a change of a file gets a new time: the clock of a file system is coarse. */
export async function laterThan(file: string): Promise<void> {
  const probe = `${file}.probe`
  for (;;) {
    writeFileSync(probe, '')
    if (statSync(probe).ctimeMs > statSync(file).ctimeMs) break
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  rmSync(probe)
}
