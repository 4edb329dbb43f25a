/** Loads servers, and measures their CPU time and memory. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative } from 'node:path'

const ticksPerSecond = 100

/**
 * Loads a server by 16 connections for some seconds (wrk).
 * @returns {Promise<{ rate: number, cpuUs: number }>} requests per second, CPU time per request
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
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  await once(child, 'close')
  const requests = Number(/(\d+) requests in/.exec(output)?.[1])
  if (/Non-2xx/.test(output) || !(requests > 0)) throw new Error(output)
  const cpu = cpuOf(server.pid) - before
  await untilIdle(server.pid)
  return { rate: requests / seconds, cpuUs: (cpu / requests) * 1e6 }
}

/**
 * Waits until a slow server has no request left, because that would disturb the next measurement.
 */
async function untilIdle(pid) {
  const soon = () => new Promise((resolve) => setTimeout(resolve, 100))
  for (let before = -1; cpuOf(pid) - before > 0.05;) {
    before = cpuOf(pid)
    await soon()
  }
}

/** The same for HEAD, which wrk does not support. @param path the path of the n-th request */
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
        // A server closes a connection after some requests and announces it.
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

/** CPU seconds of a process with its threads. */
export function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Peak resident memory of a process (MB). */
export function memoryOf(pid) {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(kilobytes) / 1000)
}

/**
 * Starts one nginx worker with sendfile on a folder; `undefined` without nginx. @param file a file
 * of the folder
 */
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

/** Waits until the output of a process matches a pattern. @returns the match */
export function firstMatch(child, pattern) {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (text) => {
      output = (output + text).slice(-10_000)
      const found = pattern.exec(output)
      if (found) resolve(found[1])
    })
    child.on('close', () => reject(new Error(`ended with ${output}`)))
  })
}
