/**
 * Checks the files that options name, so that their faults are reported together with those of the
 * options.
 */
import { faultsOf } from './checks.ts'
import { readExpectedFile } from './expected-file.ts'
import type { FurtherCheck } from './load.ts'
import { readToken } from './token-file.ts'

/**
 * Checks the files that the API reads at its start: those of `admin_token_file` and
 * `expected_file`.
 */
export const checkApiFiles: FurtherCheck = (values) => [
  ...faultsOf(() => readToken('admin_token_file', values.admin_token_file)),
  ...faultsOf(() => readExpectedFile(values.expected_file)),
]

/** Checks the file of `alerts_secret_file` as well, which the user of the API may not read. */
export const checkAllFiles: FurtherCheck = (values) => [
  ...faultsOf(() => readToken('alerts_secret_file', values.alerts_secret_file)),
  ...checkApiFiles(values),
]
