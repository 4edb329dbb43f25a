/** Real files of several archives, which are not part of this repository. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'

const folder = process.env['RINEX_TEST_ARCHIVE'] ?? resolve('../shared/real-archive')

/** Why a test of real files cannot run here. */
export function lacksRealFiles(): string | false {
  const isHere = existsSync(join(folder, 'MANIFEST.tsv'))
  return isHere ? false : 'the real files are not here: set RINEX_TEST_ARCHIVE'
}

/** The text of a file without gzip. */
export function realText(path: string): Buffer {
  return gunzipSync(readFileSync(join(folder, path)))
}

/** The paths that the list of the archive names. */
export function realPaths(): string[] {
  const [, ...rows] = readFileSync(join(folder, 'MANIFEST.tsv'), 'utf8').trim().split('\n')
  return rows.map((row) => row.split('\t')[0] ?? '')
}
