/** What a client learns from answers, so that it can ask for what there is, and for what there was. */
import { valuesOf } from './strict-answer.ts'
import type { Answer } from './strict-answer.ts'

/** What answers have told, the latest of each. */
export interface Known {
  /** `/rinex/data/…` of files that were listed once, those of the latest list last. */
  readonly paths: readonly string[]
  readonly ids: readonly number[]
  /** By target. */
  readonly validators: ReadonlyMap<string, Validators>
  readonly seq: number
}

export interface Validators {
  readonly etag: string | undefined
  readonly modified: string | undefined
}

export function openKnown() {
  const paths: string[] = []
  const ids: number[] = []
  const validators = new Map<string, Validators>()
  const known = { paths, ids, validators, seq: 0 }
  return {
    known: known as Known,
    /** Learns from an answer. */
    learn: (target: string, answer: Answer): void => {
      if (answer.status !== 200) return
      const [etag] = valuesOf(answer, 'etag')
      const [modified] = valuesOf(answer, 'last-modified')
      if (etag !== undefined || modified !== undefined) put(validators, target, { etag, modified })
      const [seq] = valuesOf(answer, 'catalogue-seq')
      if (seq !== undefined) known.seq = Number(seq)
      const text = answer.body.toString('latin1')
      for (const [, id] of text.matchAll(/"id":(\d+)/g)) keep(ids, Number(id))
      for (const [, path = ''] of text.matchAll(/"download_path":"[^"]*?(\/rinex\/data\/[^"]*)"/g))
        keep(paths, path)
    },
  }
}

const mostKept = 300

function keep<T>(all: T[], one: T): void {
  const at = all.indexOf(one)
  if (at !== -1) all.splice(at, 1)
  all.push(one)
  if (all.length > mostKept) all.shift()
}

function put<T>(all: Map<string, T>, key: string, value: T): void {
  all.delete(key)
  all.set(key, value)
  const [oldest] = all.keys()
  if (all.size > mostKept && oldest !== undefined) all.delete(oldest)
}
