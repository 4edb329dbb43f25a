/** Servers under load, and what that costs them. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'

const ticksPerSecond = 100

/**
 * Requests of 16 connections for some seconds (wrk).
 * @returns {Promise<{ rate: number, cpuUs: number }>} requests a second, CPU a request
 */
export async function load({ server, url, script, seconds, connections = 16 }) {
  const before = cpuOf(server.pid)
  const options = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...(script ? ['-s', script] : []),
    url,
  ]
  const child = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  child.stdout.on('data', (text) => (told += text))
  await once(child, 'close')
  const requests = Number(/(\d+) requests in/.exec(told)?.[1])
  if (/Non-2xx/.test(told) || !(requests > 0)) throw new Error(told)
  const cpu = cpuOf(server.pid) - before
  await untilIdle(server.pid)
  return { rate: requests / seconds, cpuUs: (cpu / requests) * 1e6 }
}

/** A slow server still has requests in hand when its clients have gone, and would disturb who comes next. */
async function untilIdle(pid) {
  const soon = () => new Promise((resolve) => setTimeout(resolve, 100))
  for (let before = -1; cpuOf(pid) - before > 0.05;) {
    before = cpuOf(pid)
    await soon()
  }
}

/** The same for HEAD, whose answers wrk would wait for in vain. @param path of the n-th request */
export async function loadHeads({ server, path, seconds, connections = 16 }) {
  const before = cpuOf(server.pid)
  const { port, host } = new URL(server.url)
  let requests = 0
  const untilMs = performance.now() + seconds * 1000
  const run = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port))
      const ask = () => socket.write(`HEAD ${path(requests)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      socket.setEncoding('latin1').on('error', reject).on('close', resolve).on('connect', ask)
      socket.on('data', (head) => {
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head))
        requests++
        // A server closes a connection after some requests, and says so.
        if (performance.now() > untilMs || /^connection: close/im.test(head)) socket.destroy()
        else ask()
      })
    })
  const runs = async () => {
    while (performance.now() < untilMs) await run()
  }
  await Promise.all(Array.from({ length: connections }, runs))
  const cpu = cpuOf(server.pid) - before
  return { rate: requests / seconds, cpuUs: (cpu / requests) * 1e6 }
}

/** CPU seconds of a process and its threads. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The largest resident memory that a process has had (MB). */
export function memoryOf(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(kilobytes) / 1000)
}

/** One nginx worker with sendfile on a folder; `undefined` where there is no nginx. @param file one that it has */
export async function startNginx(folder, file) {
  if (spawnSync('which', ['nginx']).status !== 0) return undefined
  const port = 20_000 + (process.pid % 10_000)
  const config = join(folder, 'nginx.conf')
  writeFileSync(
    config,
    `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr error;
     events { worker_connections 512; }
     http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=10;
       types { application/json json; }
       server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  )
  const child = spawn('nginx', ['-c', config, '-p', folder], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/`
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`${url}${relative(folder, file)}`, { method: 'HEAD' }).catch(
      () => undefined,
    )
    if (answer?.ok) return { url, pid: child.pid, stop: () => child.kill('SIGKILL') }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`nginx does not answer with ${file}`)
}

/** What a pattern finds in what a process prints, as soon as it does. */
export function firstMatch(child, pattern) {
  return new Promise((resolve, reject) => {
    let told = ''
    child.stdout.on('data', (text) => {
      told = (told + text).slice(-10_000)
      const found = pattern.exec(told)
      if (found) resolve(found[1])
    })
    child.on('close', () => reject(new Error(`ended with ${told}`)))
  })
}
