/** Lets a loop sleep until something rings or a time of `performance.now()` has come. */
export function openBell() {
  let wake = (): void => undefined
  let rung = false
  return {
    ring(): void {
      rung = true
      wake()
    },
    async wait(untilMs: number | undefined): Promise<void> {
      let timer: NodeJS.Timeout | undefined
      if (!rung)
        await new Promise<void>((resolve) => {
          wake = resolve
          if (untilMs !== undefined) timer = setTimeout(resolve, untilMs - performance.now())
        })
      clearTimeout(timer)
      rung = false
    },
  }
}
