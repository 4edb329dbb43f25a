/** Measures commands and reports each result with a reference of the same run. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Runs a shell command to its end.
 * @returns {Promise<{ wall: number, cpu: number, peak: number }>} seconds, user and system
 * seconds of it and its children, and the peak resident memory of the process named in it (MB; 0
 * if it ended too early)
 */
export function measure(command, { memoryOf } = {}) {
  return new Promise((resolve, reject) => {
    // The `time` of the shell counts all parts of a pipeline.
    const timed = `TIMEFORMAT='%R %U %S'; time { ${command}; } 2>&2`
    const child = spawn('bash', ['-c', timed], { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    let peak = 0
    const look = setInterval(() => {
      if (memoryOf !== undefined) peak = Math.max(peak, peakOfChild(child.pid, memoryOf))
    }, 20)
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('close', (code) => {
      clearInterval(look)
      const [wall, user, system] = output.trim().split('\n').at(-1).split(' ').map(Number)
      if (code !== 0 || Number.isNaN(system)) reject(new Error(`${command}\n${output}`))
      else resolve({ wall, cpu: user + system, peak })
    })
  })
}

/** Peak memory (MB) of the descendant of a process whose command line contains a text. */
function peakOfChild(pid, text) {
  try {
    for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')) {
      if (child === '') continue
      if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(text)) {
        const [, kilobytes] =
          /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child}/status`, 'utf8')) ?? []
        return Number(kilobytes ?? 0) / 1000
      }
      const below = peakOfChild(child, text)
      if (below > 0) return below
    }
  } catch {
    // the process has ended meanwhile
  }
  return 0
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2
}

/** `1.23 (1.10–1.50)`: median, minimum and maximum. */
export function spread(values, digits = 2) {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return `${median(values).toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}

/** Median and spread of the ratios of values that were measured in turn. */
export function ratios(ours, theirs, digits = 2) {
  return spread(
    ours.map((value, index) => value / theirs[index]),
    digits,
  )
}

/** Options of a benchmark: `--files 1000` is `{ files: 1000 }`; a number if the default is one. */
export function optionsOf(args, defaults) {
  const options = { ...defaults }
  for (let index = 0; index < args.length; index += 2) {
    const name = args[index].replace(/^--/, '')
    if (!(name in defaults))
      throw new Error(`no option --${name}, there are: ${Object.keys(defaults).join(', ')}`)
    const value = args[index + 1]
    options[name] = typeof defaults[name] === 'number' ? Number(value) : value
  }
  return options
}
