/**
 * Runs both processes with a clock that the test sets (libfaketime). File times and timers are not
 * faked, as on a file server.
 */
import type { ChildProcess } from 'node:child_process'
import { spawnSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lacks } from './service.ts'

const faketime = ['-m', '-f', '+0', 'printenv', 'LD_PRELOAD']

/** Why a test with such a clock cannot run here; `false` if it can. */
export const lacksFaketime = lacks('faketime', `faketime ${faketime.join(' ')}`)

const preload = String(spawnSync('faketime', faketime).stdout).trim()

/** Sets the clock of a service ahead of ours; it goes on from there. */
export function setClock(folder: string, aheadMs: number): void {
  writeFileSync(join(folder, 'clock.new'), `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / 1000}`)
  renameSync(join(folder, 'clock.new'), join(folder, 'clock'))
}

/** The command line before that of each process which gives it the clock of the folder. */
export function clockWrap(folder: string): readonly string[] {
  const clock = [`FAKETIME_TIMESTAMP_FILE=${join(folder, 'clock')}`, 'FAKETIME_NO_CACHE=1']
  const unchanged = ['NO_FAKE_STAT=1', 'FAKETIME_DONT_FAKE_MONOTONIC=1']
  return ['env', `LD_PRELOAD=${preload}`, ...clock, ...unchanged]
}

/** Removes what a killed process leaves of its clock; one that ends by itself removes it. */
export function removeShared({ pid }: ChildProcess): void {
  for (const name of [`faketime_shm_${pid ?? ''}`, `sem.faketime_sem_${pid ?? ''}`])
    rmSync(join('/dev/shm', name), { force: true })
}
