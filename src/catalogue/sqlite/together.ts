/**
 * Collects questions and has them answered together, as many as may be at a time, at the end of the turn of the event loop in
 * which they were asked. One transaction serves them, and doing the same many times in a row takes less than doing it in
 * between other things.
 */

interface Asked<Question, Answer> {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export interface Together<Question, Answer> {
  /** Gives as many answers as there are questions, in their order. Where it throws, each is asked alone. */
  readonly answer: (questions: readonly Question[]) => readonly Answer[]
  /** How large an answer may become. */
  readonly sizeOf: (question: Question) => number
  /** Of all answers at a time, unless one alone is larger: what is asked beyond that waits for the next turn. */
  readonly mostAtOnce: number
}

export function askedTogether<Question, Answer>({
  answer,
  sizeOf,
  mostAtOnce,
}: Together<Question, Answer>): (question: Question) => Promise<Answer> {
  let waiting: Asked<Question, Answer>[] = []
  const takeSome = (): readonly Asked<Question, Answer>[] => {
    let size = 0
    const beyond = waiting.findIndex(
      ({ question }, index) => (size += sizeOf(question)) > mostAtOnce && index > 0,
    )
    const some = beyond < 0 ? waiting : waiting.slice(0, beyond)
    waiting = beyond < 0 ? [] : waiting.slice(beyond)
    return some
  }
  const tell = (some: readonly Asked<Question, Answer>[]): void => {
    try {
      const answers = answer(some.map(({ question }) => question))
      for (const [index, { resolve }] of some.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      // What cannot be answered to one of them is not kept from the others.
      if (some.length === 1) some[0]?.reject(error)
      else for (const each of some) tell([each])
    }
  }
  const end = (): void => {
    const some = takeSome()
    if (waiting.length > 0) setImmediate(end)
    tell(some)
  }
  return (question) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ question, resolve, reject }) === 1) setImmediate(end)
    })
}
