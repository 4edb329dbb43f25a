import type {
  ChunkQuery,
  Head,
  Page,
  PageQuery,
  RecordChunk,
  StationsPage,
  StationsQuery,
  StationSummary,
} from '../../catalogue.ts'

/** What the thread is asked, and of each kind of question what it answers. */
export interface Answers {
  readonly page: { readonly query: PageQuery; readonly answer: Page }
  readonly records: { readonly query: ChunkQuery; readonly answer: RecordChunk }
  readonly stations: { readonly query: StationsQuery; readonly answer: StationsPage }
  readonly station: {
    readonly query: { readonly code: string }
    readonly answer: { readonly head: Head; readonly station: StationSummary | undefined }
  }
}

export type QuestionKind = keyof Answers

export interface Request<Kind extends QuestionKind = QuestionKind> {
  readonly number: number
  readonly kind: Kind
  readonly query: Answers[Kind]['query']
}

export type Response =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly unavailable: string }
  | { readonly number: number; readonly failed: Error }
