/** The properties that many files share. */
import type { FileDuration, FileType, FileVersion } from '../../parse/types.ts'

/** A row of `kind`. Parts that only long names have are '' for short names. */
export interface Kind {
  readonly area: string
  readonly version: FileVersion
  readonly duration: FileDuration
  readonly type: FileType
  readonly source: string
  readonly period: string
  readonly interval: string
  readonly content: string
}

/** The conditions on kinds, each with the part of a kind that it concerns. */
export const kindConditions = [
  ['areas', 'area'],
  ['types', 'type'],
  ['durations', 'duration'],
  ['versions', 'version'],
  ['intervals', 'interval'],
  ['contents', 'content'],
  ['sources', 'source'],
] as const
