import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from 'tap'
import { baseUrlFor } from '../../src/config/address.ts'
import { loadConfig } from '../../src/config/load.ts'
import { optionKeys, optionOf } from '../../src/config/options.ts'
import { packageRoot } from '../../src/package.ts'
import { testFolder } from '../folder.ts'

const example = readFileSync('config/rinex-catalogue.toml', 'utf8')
const sources = { env: {}, flags: {}, cwd: '/' }

t.test('the example sets nothing', async (t) => {
  const { config } = loadConfig({
    ...sources,
    file: 'config/rinex-catalogue.toml',
    cwd: process.cwd(),
  })
  t.strictSame(config, loadConfig(sources).config)
})

t.test('the example shows every option at its default', async (t) => {
  const text = example.replaceAll(/^# (\w+ = )/gm, '$1')
  const home = testFolder(t, { config: { 'a.toml': text } })
  const { config, origins } = loadConfig({ ...sources, file: 'config/a.toml', cwd: home })
  for (const key of optionKeys) t.match(origins[key], 'a.toml', key)
  const defaults = loadConfig(sources).config
  const expected = {
    ...defaults,
    baseUrl: baseUrlFor(defaults, defaults.port),
    // The only one that has no default: the example shows where the file usually lies.
    adminTokenFile: '/etc/rinex-catalogue/admin-token',
  }
  const moved = JSON.stringify(expected).replaceAll(packageRoot, home)
  // Where the checkout lies deep, the socket is named from the working directory.
  const controlSocket = resolve(home, config.controlSocket)
  t.equal(JSON.stringify({ ...config, controlSocket }), moved)
})

t.test('the example says between which numbers each number must be', async (t) => {
  const paragraphs = example.split('\n\n')
  for (const key of optionKeys) {
    const [range] = /from \d+ to \d+/.exec(optionOf(key).expects) ?? []
    if (range === undefined) continue
    const told = paragraphs.find((paragraph) => paragraph.includes(`\n# ${key} = `)) ?? ''
    t.match(told.replaceAll('\n# ', ' '), range, key)
  }
})

t.test('the example has every option under a heading that fits it', async (t) => {
  const [, ...sections] = example.split(/^# --- /m)
  const found = sections.map((section): [string, unknown] => {
    const keys = Array.from(section.matchAll(/^# (\w+) = /gm), ([, key]) => key)
    return [section.slice(0, section.indexOf(' ---')), keys]
  })
  const byHeading = Object.fromEntries(found)
  t.match(byHeading, {
    'The archive and what is known about it': ['archive', 'linked_directories', 'database'],
    'Keeping up with the archive': [
      ...['watch_obs_days', 'watch_nrt_days', 'sweep_interval_seconds', 'full_look_hours'],
      'checksums',
    ],
    'The API': ['host', 'port'],
  })
  t.strictSame(byHeading['The log'], ['log_level'])
})

t.test('README.md has a row for every option', async (t) => {
  let readme = ''
  try {
    readme = readFileSync('README.md', 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  if (!/^#+ .*configuration/im.test(readme)) {
    t.pass('skipped', { skip: 'README.md has no configuration section' })
    return
  }
  for (const key of optionKeys) t.match(readme, new RegExp(`^\\| *\`${key}\``, 'm'), key)
})
