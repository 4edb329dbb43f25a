/** A fault in the configuration. */
export interface Fault {
  /** The file, environment variable or flag with the value; `default` when no source sets it. */
  readonly source: string
  /** The option, or the unknown name; `undefined` when the whole source is unusable. */
  readonly key: string | undefined
  /** Names the key, the fault and the remedy. */
  readonly message: string
}

/** The configuration cannot be used. Contains all faults; the message has one line for each. */
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

/** The faults that reading a file finds, without its content. */
export function faultsOf(read: () => unknown): readonly Fault[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}
