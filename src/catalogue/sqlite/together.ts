/**
 * Collects questions and has them answered together at the end of the turn of the event loop in which they were asked. One
 * transaction serves all of them, and doing the same many times in a row takes less than doing it in between other things.
 */

interface Asked<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * @param answer gives as many answers as there are questions, in their order; what it throws is told to who asked
 * any of them
 */
export function askedTogether<Question, Answer>(
  answer: (questions: readonly Question[]) => readonly Answer[],
): (question: Question) => Promise<Answer> {
  let waiting: Asked<Question, Answer>[] = []
  const end = (): void => {
    const all = waiting
    waiting = []
    try {
      const answers = answer(all.map(({ question }) => question))
      for (const [index, { resolve }] of all.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ question, resolve, reject }) === 1) setImmediate(end)
    })
}
