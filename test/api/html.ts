/** Reads HTML as browsers do, so that tests compare what a page says and not how it is written. */
import type { DefaultTreeAdapterTypes, ParserError } from 'parse5'
import { parse, parseFragment } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node

/** Attributes of an element: a value, or a pattern of it; `class` is one of its words. */
type Wanted = Readonly<Record<string, string | RegExp>>

export interface Link {
  readonly text: string
  readonly href: string
}

/** Elements that stand in a line of text; all others part it. */
const isInline =
  /^(a|abbr|b|bdi|code|dfn|em|i|kbd|mark|q|small|span|strong|sub|sup|time|tspan|var|wbr)$/

/** A page whose HTML has no fault, and closes what it opens. @throws Error with the fault */
export function readPage(text: string): Html {
  return read(parse(text, { sourceCodeLocationInfo: true, onParseError: refuse(text) }), text)
}

/** A part of a page, as `readPage`. */
export function readFragment(text: string): Html {
  return read(
    parseFragment(text, { sourceCodeLocationInfo: true, onParseError: refuse(text) }),
    text,
  )
}

function refuse(text: string) {
  return ({ code, startOffset }: ParserError) => {
    throw new Error(`${code}: ${text.slice(Math.max(0, startOffset - 100), startOffset + 100)}`)
  }
}

/** Elements that have no end, or need none. */
const mayBeOpen = /^(area|base|br|col|embed|hr|img|input|link|meta|option|source|track|wbr)$/

/** The parser is as tolerant as a browser: it opens, closes and moves elements without a word. */
function read(root: Node, text: string): Html {
  let ends = 0
  for (const node of descendants(root)) {
    if (!('attrs' in node)) continue
    const { sourceCodeLocation: place, nodeName } = node
    if (!place) throw new Error(`an element ${nodeName} that nothing opens`)
    if (place.endTag) ends++
    else if (!mayBeOpen.test(nodeName) && !text.slice(0, place.startTag?.endOffset).endsWith('/>'))
      throw new Error(`not closed: ${text.slice(place.startOffset, place.startOffset + 100)}`)
  }
  const written = text.match(/<\/[a-z]/g)?.length ?? 0
  if (ends !== written) throw new Error(`${written - ends} ends of elements that are not open`)
  return new Html(root)
}

/** An element of a page, or the whole page. */
export class Html {
  readonly #node: Node

  constructor(node: Node) {
    this.#node = node
  }

  /** The name of the element. */
  get name(): string {
    return this.#node.nodeName
  }

  /** The title of the page. */
  get title(): string {
    return this.one('head').one('title').text
  }

  /** The text that people read, with single spaces. */
  get text(): string {
    return textOf(this.#node).replaceAll(/\s+/g, ' ').trim()
  }

  /** The text with its spaces and line ends, as in `pre`. */
  get rawText(): string {
    return Array.from(descendants(this.#node), (node) => (isText(node) ? node.value : '')).join('')
  }

  attribute(name: string): string | undefined {
    if (!('attrs' in this.#node)) return undefined
    return this.#node.attrs.find((each) => each.name === name)?.value
  }

  /** All elements of a name below this one, in their order; `*` are those of all names. */
  all(name: string, wanted: Wanted = {}): Html[] {
    return Array.from(descendants(this.#node), (node) => new Html(node)).filter(
      (each) =>
        (name === '*' ? !each.name.startsWith('#') : each.name === name) && each.#has(wanted),
    )
  }

  /** The only element of a name. @throws Error if there is none, or another */
  one(name: string, wanted: Wanted = {}): Html {
    const all = this.all(name, wanted)
    const [found] = all
    if (found === undefined || all.length > 1)
      throw new Error(`${all.length} elements ${name} ${JSON.stringify(wanted)} in: ${this.text}`)
    return found
  }

  has(name: string, wanted: Wanted = {}): boolean {
    return this.all(name, wanted).length > 0
  }

  /** The texts of all elements of a name. */
  texts(name: string, wanted: Wanted = {}): string[] {
    return this.all(name, wanted).map(({ text }) => text)
  }

  /** All links, or those with these attributes. */
  links(wanted: Wanted = {}): Link[] {
    return this.all('a', { href: /^/, ...wanted }).map((each) => ({
      text: each.text,
      href: each.attribute('href') ?? '',
    }))
  }

  /** The address behind a text. @throws Error unless one link has it */
  hrefOf(text: string): string {
    const hrefs = this.links().filter((each) => each.text === text)
    const [found] = hrefs
    if (found === undefined || hrefs.some(({ href }) => href !== found.href))
      throw new Error(`${hrefs.length} links ${text} in: ${this.text}`)
    return found.href
  }

  /** The texts of the headings: `['Station', 'Gaps']`. */
  get headings(): string[] {
    return this.all('*')
      .filter(({ name }) => /^h[1-6]$/.test(name))
      .map(({ text }) => text)
  }

  /** The terms of definition lists, and what they say. */
  get facts(): Record<string, string> {
    const terms = this.all('*').filter(({ name }) => name === 'dt' || name === 'dd')
    return Object.fromEntries(
      terms.flatMap((each, index) =>
        each.name === 'dt' ? [[each.text, terms[index + 1]?.text ?? '']] : [],
      ),
    )
  }

  /** The part with a label, or the section with a heading. @throws Error unless there is one */
  region(label: string): Html {
    const labelled = this.all('*', { 'aria-label': label })
    const headed = this.all('section').filter((each) => each.headings[0] === label)
    const all = labelled.length > 0 ? labelled : headed
    const [found] = all
    if (found === undefined || all.length > 1) throw new Error(`${all.length} regions ${label}`)
    return found
  }

  /** The table with a caption, or in the region with a label. */
  table(label: string): Table {
    const captioned = this.all('table').filter((each) => each.texts('caption')[0] === label)
    return new Table(captioned[0] ?? this.region(label).one('table'))
  }

  #has(wanted: Wanted): boolean {
    return Object.entries(wanted).every(([name, value]) => {
      const own = this.attribute(name)
      if (own === undefined) return false
      if (typeof value !== 'string') return value.test(own)
      return name === 'class' ? own.split(/\s+/).includes(value) : own === value
    })
  }
}

/** A table of a page. */
export class Table {
  readonly html: Html

  constructor(html: Html) {
    this.html = html
  }

  get columns(): string[] {
    return this.html.one('thead').texts('th')
  }

  /** The rows of the body, as elements. */
  get lines(): Html[] {
    return this.html.one('tbody').all('tr')
  }

  /** The texts of the cells, row by row. */
  get rows(): string[][] {
    return this.lines.map((line) => cellsOf(line).map(({ text }) => text))
  }

  /** The texts of the cells by the names of their columns, row by row. */
  get records(): Record<string, string>[] {
    const { columns } = this
    return this.rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])),
    )
  }
}

const cellsOf = (line: Html) => line.all('*').filter(({ name }) => name === 'td' || name === 'th')

const isText = (node: Node): node is DefaultTreeAdapterTypes.TextNode => node.nodeName === '#text'

function* descendants(node: Node): Generator<Node> {
  if (!('childNodes' in node)) return
  for (const child of node.childNodes) {
    yield child
    yield* descendants(child)
  }
}

function textOf(node: Node): string {
  if (isText(node)) return node.value
  if (!('childNodes' in node) || ['head', 'script', 'style'].includes(node.nodeName)) return ''
  const text = node.childNodes.map(textOf).join('')
  return isInline.test(node.nodeName) ? text : ` ${text} `
}
