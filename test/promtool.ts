import { spawnSync } from 'node:child_process'

/** The reason to skip a test that needs promtool. */
export const lacksPromtool =
  spawnSync('promtool', ['--version']).error !== undefined && 'no promtool here'
