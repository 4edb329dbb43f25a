/** The test runner, with one time limit for a file, whether it runs alone or in the suite. */
import t from 'tap'

// The default of 30 seconds is too short on a busy machine.
t.setTimeout(600_000)

export default t
