import t from 'tap'
import { askedTogether } from '../../../src/catalogue/sqlite/together.ts'

/** Answers numbers with their squares, and keeps what it was asked at a time. */
function openSquares() {
  const asked: number[][] = []
  const square = askedTogether({
    answer: (numbers: readonly number[]) => {
      asked.push([...numbers])
      if (numbers.includes(13)) throw new Error('thirteen')
      return numbers.map((number) => number * number)
    },
    sizeOf: (number) => number,
    mostAtOnce: 20,
  })
  return { asked, square }
}

t.test('what is asked in a turn is answered together, each with its own', async (t) => {
  const { asked, square } = openSquares()
  t.strictSame(await Promise.all([3, 1, 2].map(square)), [9, 1, 4])
  t.strictSame(asked, [[3, 1, 2]])
})

t.test('what is asked later, by who was answered too, is answered later', async (t) => {
  const { asked, square } = openSquares()
  const later = square(2).then(square)
  t.equal(await square(3), 9)
  t.equal(await later, 16)
  t.strictSame(asked, [[2, 3], [4]])
})

t.test('whoever asks before the turn ends, however late, is in it', async (t) => {
  const { asked, square } = openSquares()
  const later = new Promise((resolve, reject) => {
    process.nextTick(() => Promise.resolve(3).then(square).then(resolve, reject))
  })
  t.strictSame(await Promise.all([square(1), later, square(2)]), [1, 9, 4])
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(asked, [[1, 2, 3]], 'and nothing is asked twice')
})

t.test('a failure is told to who asked for it, and to nobody else', async (t) => {
  const { square } = openSquares()
  const told = await Promise.allSettled([1, 13, 2].map(square))
  t.match(told, [{ value: 1 }, { reason: { message: 'thirteen' } }, { value: 4 }])
  await t.rejects(square(13), { message: 'thirteen' })
  t.equal(await square(4), 16)
})

t.test(
  'what would be too much at a time is answered in turns, first come, first served',
  async (t) => {
    const { asked, square } = openSquares()
    const numbers = [9, 11, 1, 50, 3, 4, 20]
    t.strictSame(
      await Promise.all(numbers.map(square)),
      numbers.map((number) => number * number),
    )
    t.strictSame(asked, [[9, 11], [1], [50], [3, 4], [20]])
  },
)
