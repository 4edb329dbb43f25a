import t from 'tap'
import { openRequestMemory } from '../../src/api/request-memory.ts'

t.test('what was asked for before is known, as long as few others were asked for since', (t) => {
  const memory = openRequestMemory(10)
  t.notOk(memory.before('a'))
  t.ok(memory.before('a'))
  for (let other = 0; other < 9; other++) t.notOk(memory.before(`other ${other}`))
  t.ok(memory.before('a'), 'the last ten are')
  for (let other = 0; other < 20; other++) memory.before(`another ${other}`)
  t.notOk(memory.before('a'), 'not more than twice as many')
  t.end()
})
