/** nginx with the example configuration, with other addresses, certificate and archive. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import type { Test } from 'tap'
import { ask, makeCertificate, untilListening } from './front-server.ts'
import { freePorts, ownHost } from './loopback.ts'

const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` }

const missing = ['nginx', 'openssl'].filter((name) => spawnSync(name, ['-v'], { env }).error)

/** The reason to skip tests with nginx; `false` to run them. */
export const lacksNginx = missing.length > 0 && `no ${missing.join(', no ')} here`

export interface Behind {
  /** Port of the service on 127.0.0.1. */
  readonly service: number
  /**
   * Variable that nginx takes the date from instead of its clock: `http_x_date` for a header of the
   * request.
   */
  readonly date?: string
  /** The archive for downloads sent by nginx. */
  readonly archive?: string
}

interface Ports {
  readonly http: number
  readonly https: number
}

/** The example with the ports of this test, inside the parts of `/etc/nginx/nginx.conf`. */
function nginxConf({ http, https, service, archive, date }: Behind & Ports): string {
  const example = readFileSync('config/nginx.conf.example', 'utf8')
    .replaceAll('$date_gmt', `$${date ?? 'date_gmt'}`)
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replace('listen 80;', `listen ${ownHost}:${http};`)
    .replace('listen 443 ssl;', `listen ${ownHost}:${https} ssl;`)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${service};`)
    .replaceAll('/srv/gnss', archive ?? '/srv/gnss')
    .replaceAll(/\/etc\/ssl\/.*\.(pem|key);/g, 'archive.$1;')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off; pid nginx.pid; error_log stderr; events {}
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    http { access_log off; ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
    ${example} }`
}

/**
 * Starts nginx in front of a service, with HTTPS, the redirect from HTTP and a new folder, until
 * the end of the test.
 */
export async function startNginx(t: Test, dir: string, behind: Behind) {
  const [http = 0, https = 0] = await freePorts(2)
  const ports = { http, https }
  mkdirSync(dir)
  writeFileSync(join(dir, 'nginx.conf'), nginxConf({ ...behind, ...ports }))
  makeCertificate(dir)

  const options = ['-p', dir, '-e', 'stderr', '-c', join(dir, 'nginx.conf')]
  const check = spawnSync('nginx', ['-t', ...options], { env, encoding: 'utf8' })
  t.equal(check.status, 0, check.stderr)
  t.notMatch(check.stderr, /\[(warn|emerg)\]/)

  const nginx = spawn('nginx', options, { env, stdio: 'ignore' })
  t.teardown(async () => {
    if (nginx.exitCode === null && nginx.kill()) await once(nginx, 'exit')
  })
  await untilListening(nginx, ports.https)
  return {
    httpUrl: `http://${ownHost}:${ports.http}`,
    /** Requests a path exactly as it is written. */
    ask: (path: string, headers?: OutgoingHttpHeaders, method?: string) =>
      ask(ports.https, path, headers, method),
  }
}
