/** Something wrong with the configuration. */
export interface Fault {
  /** Where it stands: a file, an environment variable or a flag; `default` when nobody set the value. */
  readonly source: string
  /** The option it concerns, or the unknown name; `undefined` when the source as a whole is unusable. */
  readonly key: string | undefined
  /** What is wrong and what would be right; names the key. */
  readonly message: string
}

/** The configuration cannot be used. Carries every fault there is; the message lists them a line each. */
export class ConfigError extends Error {
  readonly code = 'BAD_CONFIGURATION'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const lines = faults.map(({ source, message }) => `\n  ${source}: ${message}`)
    super(`bad configuration:${lines.join('')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}
