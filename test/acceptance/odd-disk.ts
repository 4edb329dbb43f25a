/**
 * Disks with the habits of network and removable ones: `odd-disk.py` shows a folder with them.
 * Changes made in the folder itself cause no file events on the disk.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { lacks, stop, until } from './service.ts'

/** Habits of a disk; without any it is a disk without file events. */
export interface Habits {
  /** Time of all directories, whatever happens in them (s since 1970). */
  readonly directoryTimes?: number
  /** Times are whole ticks of this length (ns). */
  readonly tickNs?: number
  /** How far its clock is ahead of ours (s). */
  readonly skewSeconds?: number
  /** Inode numbers change after this time (s). */
  readonly inodeSeconds?: number
  /** How long a size, time or inode number that was looked at stays in the memory (s). */
  readonly cacheSeconds?: number
}

/** Disks that people have, with their habits. */
export const oddDisks = {
  'no file events': {},
  'directory times that stand still in 1970': { directoryTimes: 0 },
  'directory times that stand still today, a quarter of an hour ahead': {
    directoryTimes: Math.floor(Date.now() / 1000),
    skewSeconds: 900,
  },
  'microseconds, a quarter of an hour behind': { tickNs: 1000, skewSeconds: -900 },
  'two seconds, half a minute behind': { tickNs: 2e9, skewSeconds: -30 },
  'whole seconds, an hour ahead, inode numbers that change': {
    tickNs: 1e9,
    skewSeconds: 3600,
    inodeSeconds: 1,
  },
  'sizes and times that are kept for two seconds': { cacheSeconds: 2 },
} satisfies Record<string, Habits>

/** Debian's Python, which has the module of its packages. */
const python = '/usr/bin/python3'
const program = join(import.meta.dirname, 'odd-disk.py')

/** Why no such disk can be mounted here; `false` if one can. */
export const lacksOddDisk = lacks(
  'FUSE with python3-fusepy for root',
  `test $(id -u) = 0 -a -w /dev/fuse && unshare -m true && ${python} -c 'import fusepy'`,
)

/**
 * Mounts a disk on `archive` in a folder, which shows `source` in it; it is unmounted after the
 * test. @returns the path of `source`
 */
export async function mountOddDisk(t: Test, folder: string, habits: Habits): Promise<string> {
  const [source, archive] = [join(folder, 'source'), join(folder, 'archive')]
  for (const path of [source, archive]) mkdirSync(path, { recursive: true })
  const { directoryTimes, tickNs, skewSeconds, inodeSeconds, cacheSeconds } = habits
  const given = {
    directory_times: directoryTimes,
    tick: tickNs,
    skew: skewSeconds,
    inodes: inodeSeconds,
    cache: cacheSeconds,
  }
  const args = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  )
  const { dev } = statSync(archive)
  const stdio = ['pipe', 'inherit', 'inherit'] as const
  const disk = spawn(python, [program, source, archive, ...args], { stdio: [...stdio] })
  t.teardown(async () => {
    spawnSync('umount', ['-l', archive])
    await stop(disk, 'SIGTERM')
  })
  await until('the disk is mounted', () => statSync(archive).dev !== dev)
  return source
}
