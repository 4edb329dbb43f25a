/** Random cases that are the same in every run, so that nothing fails by chance; with RANDOM=1 they are others each time. */
import fc from 'fast-check'

if (process.env['RANDOM'] !== '1') fc.configureGlobal({ seed: 20260122 })

export { fc }
