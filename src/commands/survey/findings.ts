/** What a look at the names of a tree finds: counts, with a few examples. */
import type { EntryRejectionReason } from '../../catalogue/records.ts'
import { dayOfYearAt } from '../../parse/calendar.ts'
import type { Suffix } from '../../parse/filename.ts'
import { knownSuffixes, parseFilename, suffixOf } from '../../parse/filename.ts'
import { joinPath } from '../../parse/layout.ts'
import { siteOf } from '../../parse/path-dates.ts'
import type { Placement } from '../../parse/placement.ts'
import { placementIn } from '../../parse/placement.ts'
import type {
  FileDuration,
  FileType,
  FileVersion,
  ParsedName,
  RejectionReason,
} from '../../parse/types.ts'
import { Tally } from './tally.ts'

/** Maximum number of examples, and of the most frequent suffixes and directories. */
export const shown = 10

/** The files and the other names below one directory of the tree. */
export interface Share {
  files: number
  others: number
  /** True if the name of the directory begins with the station of a file below it. */
  isOfStation: boolean
}

/** Takes the names of one directory. */
interface DirectoryCount {
  /** For each entry that is no directory. */
  readonly add: (name: string, isLink: boolean) => void
  readonly end: () => void
}

/** Counts the names of a tree, directory by directory, in memory that does not grow with them. */
export class Findings {
  /** Files with RINEX names, whatever they end in. */
  readonly files = {
    form: new Tally<FileVersion>(),
    type: new Tally<FileType>(),
    period: new Tally<FileDuration>(),
    year: new Tally(),
    suffix: new Tally<Suffix>(),
  }
  readonly rejected = {
    reason: new Tally<RejectionReason>(),
    suffix: new Tally(),
    directory: new Tally(),
  }
  /** Directories that are not read, by reason, with examples. */
  readonly unread = new Map<EntryRejectionReason, { count: number; examples: string[] }>()
  readonly misplaced = { count: 0, examples: [] as string[] }
  /** By the first segment of the path; `''` for files in the directory itself. */
  readonly shares = new Map<string, Share>()
  readonly #stations = new Set<string>()
  #names = 0
  #directories = 0

  get names(): number {
    return this.#names
  }

  get directories(): number {
    return this.#directories
  }

  get stations(): number {
    return this.#stations.size
  }

  /** To be called for each directory that is read. */
  directory(path: string): DirectoryCount {
    this.#directories++
    const first = path.split('/', 1)[0] ?? ''
    const share = this.shares.get(first) ?? { files: 0, others: 0, isOfStation: false }
    this.shares.set(first, share)
    const [word = ''] = first.split(/[-_.]/, 1)
    const site = siteOf(word)
    let [rejected, placement] = [0, undefined as Placement | undefined]
    return {
      add: (name, isLink) => {
        const parsed = parseFilename(name, knownSuffixes)
        if (isLink && parsed.kind === 'rejected') {
          this.notRead(joinPath(path, name), 'symlink')
          return
        }
        this.#names++
        if (parsed.kind === 'rejected') {
          share.others++
          rejected++
          this.rejected.reason.add(parsed.reason)
          this.rejected.suffix.add(formOfSuffix(name))
          return
        }
        share.files++
        share.isOfStation ||= site !== undefined && parsed.station.startsWith(site)
        this.#addFile(name, parsed)
        placement ??= placementIn(path)
        if (placement.isMisplaced(parsed)) this.#addMisplaced(path, name)
      },
      end: () => {
        if (rejected > 0) this.rejected.directory.add(path === '' ? '.' : `${path}/`, rejected)
      },
    }
  }

  /** A directory, or a link that may lead to one, that is not read. */
  notRead(path: string, reason: EntryRejectionReason): void {
    const known = this.unread.get(reason) ?? { count: 0, examples: [] }
    this.unread.set(reason, known)
    known.count++
    if (known.examples.length < shown) known.examples.push(path)
  }

  #addFile(name: string, parsed: ParsedName): void {
    const { form, type, period, year, suffix } = this.files
    form.add(parsed.version)
    type.add(parsed.type)
    period.add(parsed.duration)
    year.add(String(dayOfYearAt(parsed.startSeconds).year))
    suffix.add(suffixOf(name))
    this.#stations.add(parsed.station)
  }

  #addMisplaced(directory: string, name: string): void {
    this.misplaced.count++
    if (this.misplaced.examples.length < shown)
      this.misplaced.examples.push(joinPath(directory, name))
  }
}

/** What follows the name of a file, with `yy` for the digits of a year: `.zip`, `.yyS.gz`. */
function formOfSuffix(name: string): string {
  const [suffix = ''] = /(?:\.[^.]{1,12})?(?:\.(?:gz|Z|tar|bz2|zip))*$/i.exec(name) ?? []
  return suffix === '' ? 'no suffix' : suffix.replace(/^\.\d\d(?=[A-Za-z])/, '.yy')
}
