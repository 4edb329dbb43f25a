/** nginx, Apache and Caddy with the example configurations, in front of a service. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { lacks, stop, until } from './service.ts'

/** The public name in the examples. */
export const publicName = 'archive.example.org'

export interface Behind {
  /** Port of the service on 127.0.0.1. */
  readonly service: number
  /** The archive for downloads sent by the web server. */
  readonly archive?: string
  /** The year of older paths is that of `dateHeaders`, not of the clock. */
  readonly isDated?: boolean
}

interface Place extends Required<Behind> {
  readonly http: number
  readonly https: number
}

export interface WebServer {
  /** The reason to skip its tests; `false` to run them. */
  readonly skip: string | false
  /** True if it sends the files itself. */
  readonly sendsFiles?: boolean
  /** Where `/` leads; without it the example has neither compression nor HSTS. */
  readonly entrance?: string
  /** It rewrites the older paths. */
  readonly rewrites?: boolean
  readonly configure: (place: Place) => string
  /** Command lines for a file `conf` in the working directory, and in an absolute folder. */
  readonly commands: (folder: string) => { check: readonly string[]; run: readonly string[] }
}

/** A loopback address of this process: on a shared one, a free port may be taken a moment later. */
const ownHost = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`

const isRoot = process.getuid?.() === 0
const searchPath = `${process.env['PATH'] ?? ''}:/usr/sbin`
const lacking = (what: string, command: string) =>
  lacks(what, `PATH="$PATH:/usr/sbin" && ${command} && openssl version`)

const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export const nginx: WebServer = {
  skip: lacking('nginx with openssl', 'nginx -v'),
  sendsFiles: true,
  entrance: `https://${publicName}/rinex/api/`,
  rewrites: true,
  configure: ({ http, https, service, archive, isDated }) => {
    const example = readFileSync('config/nginx.conf.example', 'utf8')
      .replaceAll('$date_gmt', isDated ? '$http_x_date' : '$&')
      .replaceAll(/^ *listen \[::\].*\n/gm, '')
      .replace('listen 80;', `listen ${ownHost}:${http};`)
      .replace('listen 443 ssl;', `listen ${ownHost}:${https} ssl;`)
      .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${service};`)
      .replaceAll('/srv/gnss', archive)
      .replaceAll(/\/etc\/ssl\/.*\.(pem|key);/g, 'archive.$1;')
    return `daemon off; pid nginx.pid; error_log stderr; events {} ${isRoot ? 'user root;' : ''}
      http { access_log off; ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
      ${example} }`
  },
  commands: (folder) => {
    const run = ['nginx', '-p', folder, '-e', 'stderr', '-c', join(folder, 'conf')]
    return { check: [...run, '-t'], run }
  },
}

/** Modules of Debian's configuration, modules that the example names, and their dependencies. */
const modules = ['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'alias', 'env', 'proxy']
modules.push('proxy_http', 'headers', 'rewrite')
const fileOf = (name: string): string => `/usr/lib/apache2/modules/mod_${name}.so`

export const apache: WebServer = {
  skip: lacking(
    'apache2 with openssl',
    `apache2 -v && ls ${modules.map((name) => fileOf(name)).join(' ')}`,
  ),
  rewrites: true,
  configure: ({ http, https, service, isDated }) => {
    const example = readFileSync('config/apache.conf.example', 'utf8')
      .replace('*:80>', `${ownHost}:${http}>`)
      .replace('*:443>', `${ownHost}:${https}>`)
      .replaceAll(/\/etc\/ssl\/.*\.(pem|key)$/gm, 'archive.$1')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${service}`)
      .replaceAll(/%\{TIME_(\w+)\}/g, isDated ? '%{HTTP:X-TIME-$1}' : '$&')
    const loaded = modules.map((name) => `LoadModule ${name}_module ${fileOf(name)}`)
    const ports = [http, https].map((port) => `Listen ${ownHost}:${port} http`)
    // Apache serves nothing as root.
    const user = isRoot ? ['User www-data', 'Group www-data'] : []
    const own = ['ServerName localhost', 'PidFile pid', 'ErrorLog log']
    return [...loaded, ...ports, ...user, ...own, example].join('\n')
  },
  commands: (folder) => {
    const program = ['apache2', '-d', folder, '-f', 'conf']
    return { check: [...program, '-t'], run: [...program, '-D', 'FOREGROUND'] }
  },
}

export const caddy: WebServer = {
  skip: lacking('caddy with openssl', 'caddy version'),
  entrance: '/rinex/api/',
  configure: ({ http, https, service }) => {
    const own = `${publicName} {\n\tbind ${ownHost}\n\ttls archive.pem archive.key`
    const example = readFileSync('config/Caddyfile.example', 'utf8')
      .replace(`${publicName} {`, own)
      .replace('127.0.0.1:8080', `127.0.0.1:${service}`)
    return `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n${example}`
  },
  commands: () => {
    const options = ['--config', 'conf', '--adapter', 'caddyfile']
    return { check: ['caddy', 'validate', ...options], run: ['caddy', 'run', ...options] }
  },
}

/** The headers of a request that a dated web server takes for one of this day, `2026-01-22`. */
export function dateHeaders(date: string): OutgoingHttpHeaders {
  const at = new Date(date)
  const weekday = at.toLocaleString('en-US', { weekday: 'long', timeZone: 'UTC' })
  const [, day = '', month = '', year = ''] = at.toUTCString().split(' ')
  return {
    'x-date': `${weekday}, ${day}-${month}-${year} 12:00:00 GMT`,
    'x-time-year': year,
    'x-time-mon': date.slice(5, 7),
    'x-time-day': day,
  }
}

/** Free ports of the loopback address, for servers that cannot report ports that they choose. */
async function freePorts(): Promise<number[]> {
  const servers = [createServer(), createServer()]
  for (const server of servers) await once(server.listen(0, ownHost), 'listening')
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) await once(server.close(), 'close')
  return ports
}

/**
 * Starts a web server in front of a service, in a new folder, until the end of the test; its
 * configuration must be without a warning.
 */
export async function startWebServer(t: Test, server: WebServer, folder: string, behind: Behind) {
  const [http = 0, https = 0] = await freePorts()
  mkdirSync(folder)
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout archive.key'
  const certificate = `req -x509 ${key} -days 2 -subj /CN=${publicName} -out archive.pem`
  spawnSync('openssl', certificate.split(' '), { cwd: folder })
  const place = { archive: '/srv/gnss', isDated: false, ...behind, http, https }
  writeFileSync(join(folder, 'conf'), server.configure(place))
  const homes = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const options = { cwd: folder, env: { PATH: searchPath, ...homes } }
  const { check, run } = server.commands(folder)
  const checked = spawnSync('env', check, { ...options, encoding: 'utf8' })
  t.equal(checked.status, 0, checked.stderr)
  t.notMatch(checked.stderr, /\[(warn|emerg)\]/)
  const child = spawn('env', run, { ...options, stdio: 'ignore' })
  t.teardown(() => stop(child, 'SIGTERM'))
  await until('the web server listens', () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    return accepts(https)
  })
  /** Requests a path exactly as it is written. */
  const open = async (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') => {
    const to = { host: ownHost, port: https, servername: publicName, rejectUnauthorized: false }
    // On connections of their own: a server may close an idle one at the moment of a request.
    const asked = request({
      ...to,
      agent: false,
      path,
      method,
      headers: { host: publicName, ...headers },
    })
    const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage]
    return answer
  }
  return {
    httpUrl: `http://${ownHost}:${http}`,
    open,
    /** The same with the whole body. */
    ask: async (...asked: Parameters<typeof open>) => {
      const answer = await open(...asked)
      const body = Buffer.concat((await answer.toArray()) as Buffer[])
      return { status: answer.statusCode, headers: answer.headers, body }
    },
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, ownHost)
  return new Promise<boolean>((resolve) => {
    socket.once('connect', resolve.bind(undefined, true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}
