import { stringify } from 'smol-toml'
import { baseUrlFor } from '../config/address.ts'
import type { LoadedConfig } from '../config/load.ts'
import { propertyName } from '../config/names.ts'
import { optionKeys } from '../config/options.ts'
import type { Config } from '../config/options.ts'
import { print } from '../runtime/output.ts'

/** Prints the effective configuration, itself a configuration file, with the origin of each value. */
export async function checkConfig({ config, origins }: LoadedConfig): Promise<number> {
  const values = { ...config, baseUrl: knownBaseUrl(config) }
  for (const key of optionKeys) {
    const value = values[propertyName(key)]
    const line = value === undefined ? `# ${key} has no value` : stringify({ [key]: value }).trim()
    await print(`${line} # from ${origins[key]}`)
  }
  return 0
}

/** With port 0 the base URL is only known when the API listens. */
function knownBaseUrl(config: Config): string | undefined {
  return config.baseUrl ?? (config.port === 0 ? undefined : baseUrlFor(config, config.port))
}
