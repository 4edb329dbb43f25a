/**
 * Advice for operators on the problems that make the indexer `degraded`. The indexer sends each
 * problem as one message (`health.report` in `src/indexer`), so the messages are matched here; a
 * test names problems without advice.
 */

const database =
  'Check the free space and the permissions of the directory of the database; the indexer tries again by itself.'

/** A sentence for each problem, with code in backticks. The first pattern that matches applies. */
const advice: readonly (readonly [message: RegExp, sentence: string])[] = [
  [
    /^the disk of the archive has not answered/,
    'Check the disk or the network mount of the archive; the indexer continues when it answers.',
  ],
  [
    /contains no readable obs\/ or nrt\//,
    'Check that the archive is mounted, and that every directory from `/` to the files is open to the group of the indexer.',
  ],
  [/^some changes could not be written/, database],
  [
    /is lost \(another disk is mounted/,
    'Restart the indexer if this disk is intended; otherwise mount the disk of the area.',
  ],
  [
    /below the archive root is lost \(/,
    'Mount or restore the area; until then its files stay listed, and their downloads are answered `503`.',
  ],
  [
    /^[a-z]+\/ cannot be read \(/,
    'Check that the area and every directory above it are open to the group of the indexer.',
  ],
  [
    /\/ cannot be catalogued: /,
    'Run `rinex-catalogue check`, and search the log of the indexer for this directory; the indexer tries again by itself.',
  ],
  [
    /\/ has more than [\d,]+ entries and is not read/,
    'Divide the directory into subdirectories, for example one for each day; the indexer then reads it by itself.',
  ],
  [/^the catalogue cannot be written: /, database],
  [
    /^no file watches left/,
    'Set `fs.inotify.max_user_watches` to more than the number of directories, for example in a file below `/etc/sysctl.d/`.',
  ],
  [
    /^no file watchers left/,
    'Set `fs.inotify.max_user_instances` in a file below `/etc/sysctl.d/`, or `LimitNOFILE` of the service, to a higher number.',
  ],
  [
    /^directories cannot be watched/,
    'Search the log of the indexer for the cause; meanwhile new files are listed later.',
  ],
  [
    /withheld by the deletion guard/,
    'Mount or restore these files; if they were removed on purpose, run `rinex-catalogue rescan --accept-removals`.',
  ],
  [
    /^files cannot be read for their checksums/,
    'Search the log of the indexer for the cause; lists and downloads work, only new checksums are missing.',
  ],
  [
    /^control socket of the indexer unavailable/,
    'Check that the indexer runs, and that the API has permission to open its control socket.',
  ],
]

/** @returns the advice, or an empty string for a problem that this release does not know */
export function adviceOn(problem: string): string {
  return advice.find(([message]) => message.test(problem))?.[1] ?? ''
}
