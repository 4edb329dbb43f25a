/** Targets of requests of every kind, made of what earlier answers told and of what makes no sense. */
import { filterParameters } from '../../src/api/files/parameters.ts'
import type { Chance } from './chance.ts'
import { openKnown } from './odd-known.ts'
import type { Known } from './odd-known.ts'
import { valuesOf } from './strict-answer.ts'
import type { Answer } from './strict-answer.ts'

const api = '/rinex/api'
const list = `${api}/rinex-file/`
const data = '/rinex/data'

/** What one target is good for besides. */
export interface Target {
  readonly text: string
  /** An answer that goes on for ever. */
  readonly isEndless?: boolean
  /** Its answer is broken off when the file changes. */
  readonly isFile?: boolean
  /** It is no target, and the bytes of the request may be refused before they are read as one. */
  readonly isBroken?: boolean
  /** What is wrong with the content of an answer that is `200`. */
  readonly check?: (answer: Answer, body: Buffer) => string | undefined
}

export type Targets = ReturnType<typeof openTargets>

export function openTargets(chance: Chance) {
  const { known, learn } = openKnown()
  let asked = 0
  return {
    known,
    /** Of a kind that chance tells. */
    make: (): Target => chance.pick(kinds)({ chance, known, number: asked++ }),
    learn,
  }
}

interface Given {
  readonly chance: Chance
  readonly known: Known
  /** Of this request, another one each time. */
  readonly number: number
}

type Kind = (given: Given) => Target

const nonsense = ['', 'x', '-1', '0', '1e9', '99999999999999999999', '%00', '%zz', 'a,b', "'", '..']

const orderings = ['id', '-id', 'data_date', '-created', 'filename,-id', 'none', 'id,id', '', '-']

/** Filters with values that they take and such that they do not, and now and then an unknown one. */
function filters({ chance }: Given, most: number): string[] {
  const names = [...filterParameters.keys()]
  return Array.from({ length: chance.below(most + 1) }, () => {
    if (chance.may(0.1)) return `${chance.pick(['foo', 'file_typ', '__', 'limit[]'])}=1`
    const name = chance.pick(names)
    const example = filterParameters.get(name)?.example ?? ''
    const value = chance.may(0.75) ? encodeURIComponent(example) : chance.pick(nonsense)
    return `${name}=${value}`
  })
}

const listPage: Kind = (given) => {
  const { chance, number } = given
  const limits = [
    'limit=1',
    'limit=3',
    'limit=100',
    'limit=10000',
    `limit=${chance.pick(nonsense)}`,
  ]
  const offsets = ['offset=1', 'offset=5', 'offset=100000', `offset=${chance.pick(nonsense)}`]
  const query = [
    ...filters(given, 3),
    ...(chance.may(0.6) ? [chance.pick(limits)] : []),
    ...(chance.may(0.4) ? [chance.pick(offsets)] : []),
    ...(chance.may(0.4) ? [`ordering=${chance.pick(orderings)}`] : []),
    ...(chance.may(0.3) ? [`format=${chance.pick(['json', 'api', 'html', ''])}`] : []),
    ...(chance.may(0.1) ? ['expand=file'] : []),
    ...(chance.may(0.1) ? ['strict=1'] : []),
  ]
  const mark = `mark${number}`
  const check = (answer: Answer): string | undefined =>
    valuesOf(answer, 'ignored-parameters').join().includes(mark)
      ? undefined
      : 'the answer to another request'
  return { text: `${list}?${[...query, `${mark}=1`].join('&')}`, check }
}

/** The same page again, so that its tag is known and chances are that it is the same still. */
const samePage: Kind = ({ chance }) => ({
  text: `${list}${chance.pick(['', '?limit=1', '?limit=10000', '?file_type=o', '?format=json'])}`,
})

const stream: Kind = (given) => {
  const { chance } = given
  const query = [
    `format=${chance.pick(['csv', 'ndjson', 'urls', 'xml'])}`,
    ...(chance.may(0.4) ? filters(given, 1) : []),
    ...(chance.may(0.3) ? [`limit=${chance.pick(['1', '7', '0', 'x'])}`] : []),
    ...(chance.may(0.2) ? [`ordering=${chance.pick(orderings)}`] : []),
  ]
  return { text: `${list}?${query.join('&')}` }
}

const record: Kind = ({ chance, known }) => {
  if (chance.may(0.4)) {
    const id = chance.pick(['0', '-1', 'x', '999999', '9'.repeat(30), '1.5', '%31'])
    return { text: `${list}${id}/` }
  }
  const id = chance.pick(known.ids.length > 0 ? known.ids : [1])
  const check = (_: Answer, body: Buffer): string | undefined => {
    const text = body.toString()
    const isOther = text.startsWith('{') && (JSON.parse(text) as { id?: number }).id !== id
    return isOther ? 'another record' : undefined
  }
  const query = chance.pick(['', '', '?format=json', '?expand=file', '?x=1'])
  return { text: `${list}${id}${chance.may(0.9) ? '/' : ''}${query}`, check }
}

const station: Kind = ({ chance }) => {
  const codes = ['', 'GRAZ/', 'GRAZ00AUT/', 'WTZR/', 'wtzr/', 'NONE/', 'X/', '%41/', 'GRAZ']
  const query = [
    '',
    '',
    '?search=gr',
    '?ordering=-count',
    '?ordering=x',
    '?merged=true',
    '?format=json',
  ]
  return { text: `${api}/station/${chance.pick(codes)}${chance.pick(query)}` }
}

const changes: Kind = (given) => {
  const { chance, known } = given
  const since = [known.seq, Math.max(0, known.seq - 5), 0, 999_999_999, ...nonsense]
  const query = [
    ...(chance.may(0.8) ? [`since=${chance.pick(since)}`] : []),
    ...(chance.may(0.4) ? [`wait=${chance.pick(['1', '2', '0', 'x'])}`] : []),
    ...(chance.may(0.4) ? [`limit=${chance.pick(['1', '10', '1000', 'x'])}`] : []),
    ...(chance.may(0.2) ? ['expand=file'] : []),
    ...(chance.may(0.2) ? filters(given, 1) : []),
  ]
  return { text: `${api}/changes/?${query.join('&')}`, isEndless: true }
}

const plain: Kind = ({ chance }) => ({
  text: chance.pick([
    ...['/', '/healthz', '/readyz', '/metrics', '/healthz/', '/favicon.ico', '/robots.txt'],
    ...['/', '/status/', '/status', '/schema/', '/schema/?format=json', '/docs/', '/nothing/']
      .concat('', '/rescan/', '/status/problems/', '/status/?format=json')
      .map((path) => `${api}${path}`),
    ...['/rinex/assets/page.css', '/rinex/assets/icon.svg', '/rinex/assets/', '/rinex/'],
  ]),
})

function anyPath({ chance, known }: Given): string {
  const paths = chance.may(0.7) ? known.paths.slice(-10) : known.paths
  return chance.pick(paths.length > 0 ? paths : [`${data}/obs/2010/001/none.gz`])
}

const file: Kind = (given) => ({ text: anyPath(given), isFile: true })

const otherCase: Kind = (given) => {
  const path = anyPath(given)
  const at = path.lastIndexOf('/') + 1
  const name = path.slice(at)
  const other = given.chance.may(0.5) ? name.toLowerCase() : name.toUpperCase()
  return { text: path.slice(0, at) + other, isFile: true }
}

const listing: Kind = (given) => {
  const segments = anyPath(given).split('/').slice(0, -1)
  const path = segments.slice(0, 3 + given.chance.below(segments.length - 2)).join('/')
  const ends = ['/', '/', '', '/?format=json', '/SHA256SUMS', '/SHA256SUMS', '/?format=xml', '//']
  return { text: path + given.chance.pick(ends) }
}

const badTarget: Kind = (given) => {
  const path = anyPath(given)
  const origin = given.chance.pick(['http://other.example', 'https://x:1', 'HTTP://[::1]:80'])
  const bad = [
    ...[`${data}/../data/obs/`, `${data}/obs/../../../etc/passwd`, `${data}/%2e%2e/`, '/%', '/%zz'],
    ...[path.replace('obs', '%6fbs'), `${path}%00`, `${path}/`, path.replaceAll('/', '//')],
    ...[origin + path, `${origin}${list}?limit=1`, origin, '*', `${list}?${'&'.repeat(500)}`],
    ...[
      `${list}?${'x'.repeat(6000)}=1`,
      `/${'a'.repeat(5000)}`,
      `${list}?filename=%ff%fe`,
      `${list}?%zz=%`,
    ],
  ]
  return { text: given.chance.pick(bad), isFile: true }
}

/** A head beyond its limit, or bytes that no target may hold. */
const brokenTarget: Kind = ({ chance }) => ({
  text: chance.pick([
    `/${'a'.repeat(9000)}`,
    '/a b',
    '/\x01',
    'no-slash',
    '',
    'http://',
    '/\xff\xfe',
    '/a#b',
    '\\',
  ]),
  isBroken: true,
})

/** Some of them more often than others. */
const kinds: readonly Kind[] = [
  ...[listPage, listPage, listPage, samePage, samePage, stream, stream, record, record, station],
  ...[changes, changes, plain, plain, plain, file, file, file, file, otherCase, listing, listing],
  ...[listing, badTarget, badTarget, brokenTarget],
]
