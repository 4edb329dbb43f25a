/** What an open file is, and whether its name and its end agree with that. */
import { readSync } from 'node:fs'
import type { Suffix } from '../../parse/filename.ts'
import { suffixOf } from '../../parse/filename.ts'
import type { Form } from '../../rinex/form.ts'
import { formOf } from '../../rinex/form.ts'

const forms: Readonly<Record<Suffix, Form>> = { '.gz': 'gzip', '.Z': 'lzw', '': 'other' }

/** The form of an open file. */
export function readForm(file: number): Form {
  const head = Buffer.alloc(2)
  readSync(file, head, 0, 2, 0)
  return formOf(head)
}

/** True if the last byte of an open file is a newline, as in every whole text. */
export function endsLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a
}

/** True if a name says another compression than that of the readable content. */
export function isDisguised(name: string, form: Form): boolean {
  return form !== 'other' && form !== forms[suffixOf(name)]
}

/** True if only standing still shows that a file is complete: its content has no end mark. */
export function hasNoEnd(name: string, form: Form): boolean {
  return form === 'lzw' || (form === 'other' && suffixOf(name) !== '.gz')
}
