/** A service for tests: an archive on disk, its catalogue, and the API. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import type { Test } from 'tap'
import type { ApiDeps, ApiSettings } from '../../src/api/server.ts'
import { buildServer } from '../../src/api/server.ts'
import { toUs } from '../../src/catalogue/identity.ts'
import type { CatalogueReader } from '../../src/catalogue/questions/reader.ts'
import type { CatalogueWriter } from '../../src/catalogue/updates/writer.ts'
import { defaultLayout, parentOf } from '../../src/parse/layout.ts'
import { createClock } from '../../src/runtime/clock.ts'
import { openCatalogue } from '../catalogue/catalogue.ts'
import { change, newFile } from '../catalogue/change.ts'
import { testFolder } from '../folder.ts'
import type { Html } from './html.ts'
import { readPage } from './html.ts'

/** 2026-01-22T05:06:07.000008Z, and a microsecond later at each reading of the clock. */
export const startUs = 1_769_058_367_000_008

export interface Service {
  /** Another API process on the same catalogue, which the test closes. */
  readonly startAnother: () => ReturnType<typeof buildServer>
  readonly app: FastifyInstance
  readonly archive: string
  /** The time of a service that was opened with `nowUs`. */
  readonly clock: { us: number }
  /** Sets the clock, and until when the catalogue speaks. @param seconds since 1970 */
  readonly setNow: (seconds: number) => Promise<unknown>
  readonly writer: CatalogueWriter
  readonly reader: CatalogueReader
  /** Lines of the log, parsed. */
  readonly log: Record<string, unknown>[]
  /** The log as it was written. */
  readonly logText: () => string
  /** Writes a file to disk and adds it to the catalogue, as the indexer would. */
  add(path: string, content?: string | Buffer): Promise<void>
  /** Adds names to the catalogue only. */
  addNames(directory: string, names: readonly string[]): Promise<void>
  /** The id of a listed file. */
  idOf(path: string): Promise<number>
  listen(): Promise<number>
  /** A page, by its address below `api/`. @throws Error at another status, or at invalid HTML */
  readonly page: (url: string, status?: number) => Promise<Html>
}

export interface ServiceOptions {
  readonly settings?: Partial<ApiSettings>
  readonly deps?: (deps: ApiDeps) => Partial<ApiDeps>
  /** Questions that the API asks with a detour, by default none. */
  readonly reader?: (reader: CatalogueReader) => Partial<CatalogueReader>
  /**
   * Where the clock of the API and of the writer stands, until the test sets it (microseconds since
   * 1970); without it the API has the clock of the machine, and the writer `startUs` and a
   * microsecond more at each reading.
   */
  readonly nowUs?: number
}

export async function openService(t: Test, options: ServiceOptions = {}): Promise<Service> {
  const folder = testFolder(t, { archive: { obs: {}, nrt: {} } })
  const archive = join(folder, 'archive')
  const stands = options.nowUs !== undefined
  const clock = { us: options.nowUs ?? startUs }
  const nowUs = () => (stands ? clock.us : clock.us++)
  const { writer, reader } = await openCatalogue(t, { folder, nowUs })
  const written: string[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      written.push(line.toString())
      done()
    },
  })
  const deps: ApiDeps = {
    // Without the option, a test may still replace methods of the reader.
    reader: options.reader === undefined ? reader : { ...reader, ...options.reader(reader) },
    indexerStatus: () => Promise.resolve(undefined),
    indexerMetrics: () => Promise.resolve(''),
    settlingFiles: () => Promise.resolve([]),
    logger: pino({ level: 'debug' }, stream),
    nowUs: stands ? nowUs : createClock(),
    settings: {
      archive,
      layout: defaultLayout,
      linkedDirectories: [],
      baseUrl: () => 'https://archive.example',
      datasetPrefix: 'rinex',
      maxLimit: 1000,
      keepRemovalsDays: 90,
      checksums: 'all',
      problems: 'public',
      version: '1.2.3',
      identity: { title: 'RINEX file catalogue' },
      connectionsPerAddress: 256,
      trustedProxies: [],
      ...options.settings,
    },
  }
  const all = { ...deps, ...options.deps?.(deps) }
  const app = await buildServer(all)
  t.teardown(() => app.close())
  return {
    app,
    clock,
    setNow(seconds) {
      clock.us = Math.round(seconds * 1e6)
      return writer.setAsOf({ atUs: clock.us, limitSeconds: 180 })
    },
    startAnother: () => buildServer(all),
    archive,
    writer,
    reader,
    get log() {
      return written.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    logText: () => written.join(''),
    async add(path, content = path) {
      const file = join(archive, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      await catalogue(writer, archive, path)
    },
    async addNames(directory, names) {
      await writer.apply([change(directory, { added: names.map((name) => newFile(name)) })])
    },
    async idOf(path) {
      const [directory, name] = [parentOf(path), basename(path)]
      const record = await reader.file({ directory, name })
      if (record === undefined) throw new Error(`${path} is not listed`)
      return record.id
    },
    async listen() {
      await app.listen({ port: 0, host: '127.0.0.1' })
      return (app.server.address() as AddressInfo).port
    },
    page: (url, status = 200) => pageOf(app, url, status),
  }
}

/** Asks as a browser does. */
async function pageOf(app: FastifyInstance, url: string, status: number): Promise<Html> {
  const { pathname, search } = new URL(url, 'http://host/rinex/api/')
  const answer = await app.inject({ url: pathname + search, headers: { accept: 'text/html' } })
  const { 'content-type': type } = answer.headers
  if (answer.statusCode !== status || type !== 'text/html; charset=utf-8')
    throw new Error(`${url}: ${answer.statusCode} ${type}: ${answer.body}`)
  return readPage(answer.body)
}

/** Adds a file on disk to the catalogue. */
export async function catalogue(
  writer: CatalogueWriter,
  archive: string,
  path: string,
): Promise<void> {
  const stats = statSync(join(archive, path))
  const facts = { size: stats.size, mtimeUs: toUs(stats.mtimeMs) }
  await writer.apply([change(parentOf(path), { added: [newFile(basename(path), facts)] })])
}

export const day = 'obs/2026/001'
export const hour = 'nrt/2026/001/05'
export const dayFile = 'GRAZ00AUT_R_20260010000_01D_30S_MO.crx.gz'
export const hourFile = 'GRAZ00AUT_S_20260010500_01H_30S_MO.crx.gz'
export const shortFile = 'graz0010.26m.gz'
