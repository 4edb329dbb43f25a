import { stringify } from 'smol-toml'
import { baseUrlFor } from '../config/address.ts'
import { ConfigError } from '../config/config-error.ts'
import type { LoadedConfig } from '../config/load.ts'
import { propertyName } from '../config/names.ts'
import { optionKeys, optionOf } from '../config/options.ts'
import type { Config } from '../config/options.ts'
import { print } from '../runtime/output.ts'
import { machineFaults } from './machine-faults.ts'

/**
 * Prints the effective configuration, itself a configuration file, with the origin of each value, and looks at this machine.
 * @throws ConfigError with all that the configuration expects and this user does not find
 */
export async function checkConfig(loaded: LoadedConfig): Promise<number> {
  const { config, origins } = loaded
  const values = { ...config, baseUrl: knownBaseUrl(config) }
  for (const key of optionKeys) {
    const value = values[propertyName(key)]
    const line =
      value === undefined
        ? `# ${key} has no value`
        : optionOf(key).isSecret === true
          ? `# ${key} has a value that is not shown`
          : stringify({ [key]: value }).trim()
    await print(`${line} # from ${origins[key]}`)
  }
  const faults = machineFaults(loaded)
  if (faults.length > 0) throw new ConfigError(faults)
  return 0
}

/** With port 0 the base URL is only known when the API listens. */
function knownBaseUrl(config: Config): string | undefined {
  return config.baseUrl ?? (config.port === 0 ? undefined : baseUrlFor(config, config.port))
}
