import { defineConfig } from 'eslint/config'
import importOrder from 'eslint-plugin-simple-import-sort'
import tseslint from 'typescript-eslint'

const layer = (folder, group, message) => ({
  files: [`src/${folder}/**`],
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
})

const pattern =
  'CallExpression[callee.property.name=/^(match|notMatch)$/] > .arguments:nth-child(2)'
const literalSpread = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the properties themselves.',
}
const unquoted = {
  selector: String.raw`TaggedTemplateExpression[tag.name="html"] TemplateElement[value.raw=/\s[\w:-]+=$/]`,
  message: 'Quote the value of the attribute.',
}
const inExact = 'CallExpression[callee.name="exact"] *'
const prefixArray = `ArrayExpression:matches(${pattern}, ${pattern} *):not(${inExact})`

export default defineConfig(
  { ignores: ['dist/', 'build/', '.tap/', '*.config.js'] },
  tseslint.configs.strictTypeChecked,
  {
    plugins: { 'import-order': importOrder },
    // Node, packages, our own files, in one block.
    rules: { 'import-order/imports': ['error', { groups: [['^node:', '^@?\\w', '^']] }] },
  },
  {
    languageOptions: {
      parserOptions: { project: ['./test/tsconfig.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', literalSpread, unquoted],
      'max-len': [
        'error',
        {
          code: 100,
          ignoreStrings: true,
          ignoreTemplateLiterals: true,
          ignoreRegExpLiterals: true,
          ignoreUrls: true,
        },
      ],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-properties': ['error', { property: 'testdir', message: 'Use testFolder.' }],
      'no-restricted-syntax': [
        'error',
        literalSpread,
        {
          selector: prefixArray,
          message: 't.match compares arrays only as a prefix: use exact() of test/tap.ts.',
        },
      ],
    },
  },
  {
    files: ['test/acceptance/**', 'test/soak/**'],
    rules: {
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Use fetchAlone.' }],
    },
  },
  // Fixtures and benchmarks are plain JavaScript outside the TypeScript project: no types to lint
  // with.
  { files: ['**/*.js'], extends: [tseslint.configs.disableTypeChecked] },
  { files: ['src/**'], rules: { 'max-lines-per-function': ['error', 60] } },
  layer(
    'parse',
    ['../*', 'node:*', 'better-sqlite3', 'fastify', 'chokidar', 'pino'],
    'parse/ is pure: it imports nothing but its own files, and the package ignore.',
  ),
  layer(
    'rinex',
    ['../*', '!../parse', 'node:*', 'better-sqlite3', 'fastify', 'chokidar', 'pino'],
    'rinex/ is pure: it imports parse/ only.',
  ),
  layer(
    'catalogue',
    ['**/indexer/**', '**/api/**', '**/config/**', 'fastify', 'chokidar'],
    'catalogue/ may import only parse/, rinex/, series/ and runtime/.',
  ),
  ...[
    'catalogue/tables',
    'catalogue/facts',
    'catalogue/selection',
    'catalogue/list',
    'catalogue/questions',
    'catalogue/updates',
  ].map((folder) =>
    layer(
      folder,
      [
        '**/indexer/**',
        '**/api/**',
        '**/config/**',
        '**/runtime/**',
        '**/sqlite/**',
        '**/postgres/**',
        'node:*',
        '!node:crypto',
        'better-sqlite3',
        'pg',
      ],
      'Questions know no engine: they yield SQL.',
    ),
  ),
  layer(
    'indexer',
    [
      '**/api/**',
      '**/config/**',
      '**/catalogue/{sqlite,postgres,engines}/**',
      'fastify',
      '@fastify/*',
      'better-sqlite3',
      'pg',
    ],
    'indexer/ writes through catalogue/ and knows nothing of HTTP.',
  ),
  layer(
    'demo',
    ['../*', '!../parse', 'fastify', 'chokidar', 'better-sqlite3', 'pino'],
    'demo/ makes files and imports parse/ only.',
  ),
  layer(
    'series',
    [
      '**/catalogue/**',
      '**/control-socket/**',
      '**/indexer/**',
      '**/api/**',
      'node:*',
      'fastify',
      'better-sqlite3',
    ],
    'series/ is pure: it imports parse/ and rinex/ only.',
  ),
  layer(
    'api',
    [
      '**/indexer/**',
      '**/config/**',
      '**/catalogue/{sqlite,postgres,engines}/**',
      'chokidar',
      'better-sqlite3',
      'pg',
    ],
    'api/ reads through catalogue/ and never indexes.',
  ),
)
