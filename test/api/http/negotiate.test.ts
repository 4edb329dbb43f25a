import t from '../../tap.ts'
import { preferredFormat } from '../../../src/api/http/negotiate.ts'

const browser =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

t.test('clients that prefer HTML get HTML, and all other clients get JSON', async (t) => {
  const cases: [string | undefined, 'json' | 'html' | undefined][] = [
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/html', 'html'],
    [browser, 'html'],
    ['text/html, application/json', 'json'],
    ['application/json, text/html', 'json'],
    ['text/html;q=0.5, application/json;q=0.5', 'json'],
    ['text/html, */*', 'html'],
    ['application/json, */*', 'json'],
    // w3m
    ['text/html, text/*;q=0.5, image/*, application/*, video/*, audio/*', 'html'],
    ['application/*, text/html', 'html'],
    ['application/*, text/*', 'json'],
    ['application/json;q=0.9, text/html;q=0.9, */*', 'json'],
    ['text/html, */*;q=0.1', 'html'],
    ['text/html;q=0.9, application/json', 'json'],
    ['text/html;q=0.9, application/json;q=0.8', 'html'],
    ['text/html;q=0.1, application/json;q=0', 'html'],
    ['application/json;q=0, */*', 'html'],
    ['text/*', 'html'],
    ['text/*;q=0.4, application/*;q=0.3', 'html'],
    ['text/*, text/html;q=0.1, application/json;q=0.5', 'json'],
    ['TEXT/HTML', 'html'],
    ['text/html ; Q=0.9 , application/json ; q=0.8', 'html'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json; indent=4', 'json'],
    ['text/html;level=1', 'html'],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'html'],
    ['text/html;q=2, application/json', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['text/csv', undefined],
    ['image/png, text/plain;q=0.5', undefined],
    ['application/json;q=0', undefined],
    ['*/*;q=0', undefined],
    ['text/html;q=nonsense', undefined],
    ['nonsense', undefined],
    [',;,', undefined],
  ]
  for (const [accept, expected] of cases) {
    t.equal(preferredFormat(['json', 'html'], accept), expected, accept ?? 'no Accept')
  }
})

t.test('a resource with more formats answers by Accept as by format', async (t) => {
  const cases: [string | undefined, string | undefined][] = [
    ['text/csv', 'csv'],
    ['text/csv, application/json;q=0.9', 'csv'],
    ['application/atom+xml, application/xml;q=0.9, */*;q=0.1', 'atom'],
    ['image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8', 'svg'],
    ['application/json, text/plain, */*', 'json'],
    [browser, 'html'],
    ['*/*', 'json'],
    ['text/*', 'html'],
    [undefined, 'json'],
    ['text/event-stream', 'events'],
    ['text/event-stream, application/json', 'events'],
    ['text/event-stream;q=0.9, application/json', 'json'],
    ['application/pdf', undefined],
  ]
  const formats = ['json', 'html', 'csv', 'atom', 'svg', 'events'] as const
  for (const [accept, expected] of cases)
    t.equal(preferredFormat(formats, accept), expected, accept ?? 'no Accept')
})
