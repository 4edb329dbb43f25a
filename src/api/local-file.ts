import { statfs } from 'node:fs/promises'

/**
 * File systems of this machine, by their numbers (linux/magic.h; statfs(2)): ext2 to ext4, XFS, btrfs, tmpfs, ZFS, F2FS,
 * overlay.
 */
const localTypes = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x2fc12fc1, 0xf2f52010, 0x794c7630,
])

/**
 * Whether the facts of a file that was just read are in this machine's memory, so that asking for them waits for nobody:
 * neither for another machine nor for a program behind a mount.
 */
export async function isLocalFile(path: string): Promise<boolean> {
  const { type } = await statfs(path)
  return localTypes.has(type)
}

/** After this time a device is asked again: its number may be that of another by then. */
const askAgainMs = 60_000

/** The same of devices, by their numbers and one of their paths: a device counts as none until it has told. */
export function openLocalDevices(): (device: number, path: string) => boolean {
  const known = new Map<number, { isLocal: boolean; askedMs: number }>()
  const ask = async (path: string, told: { isLocal: boolean }): Promise<void> => {
    told.isLocal = await isLocalFile(path).catch(() => false)
  }
  return (device, path) => {
    const told = known.get(device) ?? { isLocal: false, askedMs: -Infinity }
    const nowMs = performance.now()
    if (nowMs - told.askedMs > askAgainMs) {
      told.askedMs = nowMs
      known.set(device, told)
      void ask(path, told)
    }
    return told.isLocal
  }
}
