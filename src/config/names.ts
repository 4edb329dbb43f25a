/** Names of options in the environment, on the command line and in the program. Pure. */
import type { Config, OptionKey } from './options.ts'

export const variablePrefix = 'RINEX_CATALOGUE_'

/** The variable with the path of the configuration file. It is not an option itself. */
export const fileVariable = `${variablePrefix}CONFIG`

/** `base_url` in the environment: `RINEX_CATALOGUE_BASE_URL`. */
export function variableName(key: string): string {
  return variablePrefix + key.toUpperCase()
}

/** `base_url` on the command line: `--base-url`. */
export function flagName(key: OptionKey): string {
  return `--${key.replaceAll('_', '-')}`
}

/** `base_url` in the configuration: `baseUrl`. */
export function propertyName(key: OptionKey): keyof Config {
  const name = key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  return name as keyof Config
}
