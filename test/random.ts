/**
 * Random cases, the same in every run so that no test fails by chance; with RANDOM=1 new ones in
 * each run.
 */
import fc from 'fast-check'

if (process.env['RANDOM'] !== '1') fc.configureGlobal({ seed: 20260122 })

export { fc }
