/** The reader of pages finds what they say, and refuses HTML with faults. */
import t from '../tap.ts'
import { readFragment, readPage } from './html.ts'

const page = (body: string) =>
  readPage(
    `<!doctype html><html lang="en"><head><title>T</title></head><body>${body}</body></html>`,
  )

t.test('text is what people read: words of a line are together, blocks are apart', async (t) => {
  const { text } = page(
    '<h1>A&amp;B</h1><p>one <b>t</b>wo,\n<i>3</i></p><ul><li>x</li><li>y</li></ul>',
  )
  t.equal(text, 'A&B one two, 3 x y')
  t.equal(readFragment('<pre><code>a  b\n\tc</code></pre>').rawText, 'a  b\n\tc')
})

t.test('tables, facts, links and headings', async (t) => {
  const html = page(`
    <section><h2>Days</h2><table><thead><tr><th>Day</th><th>Files</th></tr></thead>
    <tbody><tr><th>1</th><td class="a number">2</td></tr></tbody></table></section>
    <div role="region" aria-label="Sums"><table><caption>All</caption><tbody><tr><td>7</td></tr></tbody></table></div>
    <dl><dt>Name</dt><dd><a href="?a=1&amp;b=2">graz</a></dd></dl>`)
  t.strictSame(html.table('Days').rows, [['1', '2']])
  t.strictSame(html.table('Days').records, [{ Day: '1', Files: '2' }])
  for (const label of ['Sums', 'All']) t.strictSame(html.table(label).rows, [['7']])
  t.strictSame(html.facts, { Name: 'graz' })
  t.strictSame(html.headings, ['Days'])
  t.strictSame(html.links(), [{ text: 'graz', href: '?a=1&b=2' }])
  t.equal(html.hrefOf('graz'), '?a=1&b=2')
  t.strictSame(html.texts('td', { class: 'number' }), ['2'])
  t.throws(() => html.one('td'), { message: /^2 elements td/ })
  t.throws(() => html.region('Weeks'), { message: '0 regions Weeks' })
  t.throws(() => html.hrefOf('gra'), { message: /^0 links gra/ })
})

t.test('HTML with a fault is refused', async (t) => {
  for (const [fault, body] of [
    ['duplicate-attribute', '<p class="a" class="b">x</p>'],
    ['missing-whitespace-between-attributes', '<a href="a"b">x</a>'],
    ['unexpected-character-in-attribute-name', '<a a"b="c">x</a>'],
    ['missing-semicolon-after-character-reference', 'a &lt b'],
    ['1 ends of elements that are not open', '<b>x</b></div>'],
    ['not closed', '<ul><li><b>x</li></ul>'],
    ['an element tbody that nothing opens', '<table><tr><td>x</td></tr></table>'],
  ] as const)
    t.throws(() => page(body), { message: new RegExp(`^${fault}`) }, fault)
  t.throws(() => readPage('<p>no doctype'), { message: /^missing-doctype/ })
})
