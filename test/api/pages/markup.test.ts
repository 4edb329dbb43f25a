/** Whatever a request, a file name, a message of the indexer or the configuration says is text. */
import fc from 'fast-check'
import { change, newFile } from '../../catalogue/change.ts'
import t from '../../tap.ts'
import { readPage } from '../html.ts'
import { day, dayFile, openService } from '../service.ts'
import { watchingIndexer } from '../status/indexer-status.ts'

const mark = '<x-mark onload="1">'
const rightToLeft = '\u202e'
const hostile = `"'>${mark}</title></pre></details>&lt;x-mark&gt;\`${rightToLeft}`

/** Texts of pieces that begin or end something in HTML. */
const texts = fc
  .array(
    fc.constantFrom(
      mark,
      '"',
      "'",
      '<',
      '>',
      '</',
      '&',
      '&amp;',
      '<!--',
      '`',
      '=',
      ' ',
      rightToLeft,
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))

/** Addresses below `api/` that say the text again. */
const addresses: readonly ((text: string) => string)[] = [
  (text) => `search/?q=${text}`,
  (text) => `rinex-file/?filename__contains=${text}&${text}=${text}`,
  (text) => `rinex-file/?station=${text}&limit=${text}&size__gte=${text}`,
  (text) => `rinex-file/?format=${text}`,
  (text) => `station/?search=${text}&${text}=1`,
  (text) => `station/${text}/`,
  (text) => `series/?station=${text}`,
  (text) => `missing/?from=${text}`,
  (text) => `alerts/?country=${text}`,
  (text) => `changes/?filename=${text}`,
  (text) => `report/?week=${text}`,
  (text) => `archive/?${text}`,
  (text) => `network/?${text}`,
  (text) => `status/problems/?problem=${text}`,
  (text) => `${text}/`,
  (text) => `../data/${text}/`,
]

const identity = { title: hostile, operator: hostile, contact: hostile, notice: hostile }

t.test('no page has an element or an attribute that a text names', async (t) => {
  const { app, writer } = await openService(t, {
    settings: { identity },
    deps: () => ({
      indexerStatus: () =>
        Promise.resolve({ ...watchingIndexer, problems: [{ text: hostile, advice: hostile }] }),
    }),
  })
  const rejections = [{ reason: 'not-gz', count: 1, names: [hostile] }] as const
  await writer.apply([change(day, { added: [newFile(dayFile)], rejections })])
  const read = async (path: string): Promise<string> => {
    const url = `/rinex/api/${path}`
    const { body } = await app.inject({ url, headers: { accept: 'text/html' } })
    const page = readPage(body)
    const marked = page
      .all('*')
      .filter((each) => each.name === 'x-mark' || each.attribute('onload') !== undefined)
    if (marked.length > 0) throw new Error(`${url} has the element`)
    return page.text
  }
  for (const path of ['status/', 'status/problems/', 'rinex-file/', 'docs/', 'network/'])
    t.match(await read(path), hostile, path)
  await fc.assert(
    fc.asyncProperty(texts, fc.constantFrom(...addresses), async (text, address) => {
      await read(address(encodeURIComponent(text)))
    }),
    { numRuns: 200 },
  )
})
