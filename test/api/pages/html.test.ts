/** The tagged literal of pages: what is escaped, joined and left out. */
import { Linter } from 'eslint'
import fc from 'fast-check'
import type { Child } from '../../../src/api/pages/html.ts'
import { html } from '../../../src/api/pages/html.ts'
import t from '../../tap.ts'

t.test('only what a literal made stays as it is', async (t) => {
  const cases: readonly (readonly [value: Child, text: string])[] = [
    ['<b> & "q" \'a\'', '&lt;b&gt; &amp; &quot;q&quot; &#39;a&#39;'],
    [html`<b>${'<'}</b>`, '<b>&lt;</b>'],
    [['<', html`<br>`, [1, [2]]], '&lt;<br>12'],
    [0, '0'],
    [-1.5, '-1.5'],
    ['', ''],
    [false, ''],
    [null, ''],
    [undefined, ''],
    [[], ''],
  ]
  for (const [value, text] of cases) t.equal(String(html`<p>${value}</p>`), `<p>${text}</p>`, text)
})

t.test('what looks like HTML without being made by a literal is escaped', async (t) => {
  const alike = { toString: () => '<script>' } as unknown as Child
  t.throws(() => html`${alike}`, 'an object is no content')
  const made = JSON.parse(JSON.stringify({ text: '<script>' })) as Child
  t.throws(() => html`${made}`)
})

t.test('any text comes back from the text and from an attribute', async () => {
  const read = (markup: string): string =>
    markup
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const markup = String(html`<p title="${text}">${[text]}</p>`)
      const [, attribute = '', content = ''] =
        /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(markup) ?? []
      return read(attribute) === text && read(content) === text
    }),
  )
})

t.test('the linter refuses an attribute without quotes', async (t) => {
  // The configuration is plain JavaScript.
  const path = '../../../eslint.config.js'
  const { default: config } = (await import(path)) as { readonly default: readonly Linter.Config[] }
  const { 'no-restricted-syntax': rule } =
    config.find(({ rules }) => rules?.['no-restricted-syntax'])?.rules ?? {}
  const faultsOf = (attribute: string): number =>
    new Linter()
      .verify(`html\`<p ${attribute}></p>\``, { rules: { 'no-restricted-syntax': rule } })
      .filter(({ message }) => message.startsWith('Quote')).length
  t.equal(faultsOf('class=${name}'), 1)
  t.equal(faultsOf('class="${name}" data-a=${name}'), 1)
  t.equal(faultsOf('class="${name}"'), 0)
  t.equal(faultsOf('title="?problem=${name}"'), 0)
})
