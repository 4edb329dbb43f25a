import t from 'tap'
import { openByteShelf } from '../../src/api/byte-shelf.ts'

/** A body that makes three of its kind fill the shelf, with a key of one character. */
const body = Buffer.alloc(1000 - 25)
const room = 3 * (body.length + 1 + 6 * 1024)

t.test('what was asked for longest ago makes room', async (t) => {
  const shelf = openByteShelf(room)
  for (const key of ['a', 'b', 'c']) shelf.put(key, { body })
  t.ok(shelf.get('a'), 'all three have room')
  shelf.put('d', { body })
  t.same(
    ['a', 'b', 'c', 'd'].filter((key) => shelf.get(key)),
    ['a', 'c', 'd'],
    'the first was asked for since, the second was not',
  )
})

t.test('what is put again counts once, what is taken away not at all', async (t) => {
  const shelf = openByteShelf(room)
  for (let n = 0; n < 10; n++) shelf.put('a', { body })
  shelf.put('b', { body })
  shelf.delete('b')
  shelf.delete('b')
  for (const key of ['c', 'd']) shelf.put(key, { body })
  t.same(
    ['a', 'b', 'c', 'd'].filter((key) => shelf.get(key)),
    ['a', 'c', 'd'],
  )
})

t.test('what was asked for last stays, also when it is put again or taken away', (t) => {
  const shelf = openByteShelf(room)
  for (const key of ['a', 'b', 'c']) shelf.put(key, { body })
  t.ok(shelf.get('c') && shelf.get('a') && shelf.get('a'))
  shelf.delete('a')
  t.notOk(shelf.get('a'))
  shelf.put('a', { body })
  t.ok(shelf.get('b'))
  shelf.put('d', { body })
  t.same(
    ['a', 'b', 'c', 'd'].filter((key) => shelf.get(key)),
    ['a', 'b', 'd'],
  )
  t.end()
})

t.test('it tells who would go', async (t) => {
  const shelf = openByteShelf(room)
  const [a, b, c] = [{ body }, { body }, { body }]
  shelf.put('a', a)
  shelf.put('b', b)
  t.same(shelf.leaving('c', body.length), [], 'nobody, for there is room')
  t.same(shelf.leaving('c', body.length + 1), [a])
  shelf.put('c', c)
  shelf.get('a')
  t.equal(shelf.peek('b'), b, 'to look is not to ask')
  const leaving = shelf.leaving('d', body.length + 1)
  t.ok(leaving.length === 2 && leaving[0] === b && leaving[1] === c)
  t.same(shelf.leaving('a', body.length), [], 'what it takes the place of needs no room')
})

t.test('what is larger than all the room there is drives out nobody', async (t) => {
  const shelf = openByteShelf(room)
  shelf.put('a', { body })
  shelf.put('b', { body: Buffer.alloc(room) })
  t.notOk(shelf.get('b'))
  t.ok(shelf.get('a'))
})
