/** Wakes a sleeping loop. A signal that arrives while the loop is busy is kept until its next `wait`. */
export interface WakeSignal {
  wake(): void
  /** Sleeps until `wake` is called or until `untilMs`, a time of `performance.now()`. */
  wait(untilMs: number | undefined): Promise<void>
}

export function openWakeSignal(): WakeSignal {
  let endSleep = (): void => undefined
  let signalled = false
  return {
    wake() {
      signalled = true
      endSleep()
    },
    async wait(untilMs) {
      let timer: NodeJS.Timeout | undefined
      if (!signalled)
        await new Promise<void>((resolve) => {
          endSleep = resolve
          if (untilMs !== undefined) timer = setTimeout(resolve, untilMs - performance.now())
        })
      clearTimeout(timer)
      signalled = false
    },
  }
}
