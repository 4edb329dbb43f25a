/** The findings of a survey as JSON. Pure. */
import type { Findings } from './findings.ts'
import { shown } from './findings.ts'
import { proposalFor } from './proposal.ts'
import type { Tally } from './tally.ts'

export type SurveyJson = ReturnType<typeof toJson>

/** @param seconds the time that the survey took */
export function toJson(directory: string, findings: Findings, seconds: number) {
  const { files, rejected, unread, misplaced, names, directories, stations } = findings
  return {
    directory,
    directories,
    names,
    seconds: Math.round(seconds * 1000) / 1000,
    files: {
      count: files.form.total,
      by_form: files.form.all(),
      by_type: files.type.all(),
      by_period: files.period.all(),
      by_year: files.year.all(),
      by_suffix: files.suffix.all(),
    },
    stations,
    misplaced,
    rejected: {
      count: rejected.reason.total,
      by_reason: rejected.reason.all(),
      suffixes: counts(rejected.suffix, 'suffix'),
      directories: counts(rejected.directory, 'directory'),
    },
    not_read: Object.fromEntries(unread),
    configuration: proposalFor(findings) ?? null,
  }
}

function counts<Key extends string>(tally: Tally, key: Key) {
  return tally
    .most(shown)
    .map(([text, count]) => ({ [key]: text, count }) as Record<Key, string> & { count: number })
}
