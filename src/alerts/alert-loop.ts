/**
 * The loop of the command `alerts`: checks the alerts, and sends messages about changes. Repeats a
 * failed message for a day.
 */
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { StatusReply } from '../control-socket/client.ts'
import { secondsPerDay } from '../parse/calendar.ts'
import { failureFields, isExpected } from '../runtime/logger.ts'
import { wait } from '../runtime/clock.ts'
import { announce, startAnnouncing } from './announcements.ts'
import type { AlertMemory, AnnouncerState, Check, Found, Message } from './announcements.ts'
import { DamagedMemory } from './memory-file.ts'
import type { MemoryFile } from './memory-file.ts'

/** Time between two checks (ms). A check makes at most one message for each alert. */
const checkIntervalMs = 5 * 60_000
/**
 * Pause after the first failed attempt (ms). The pause doubles with each further failure, up to
 * `checkIntervalMs`.
 */
const firstPauseMs = 10_000
/** A message that could not be delivered within this time is dropped. */
const giveUpSeconds = secondsPerDay

export interface AlertLoopDeps {
  /** Throws the same errors as `CatalogueReader.deliveries`. */
  readonly openAlerts: () => Promise<Found>
  readonly indexerStatus: () => Promise<StatusReply>
  /** Sends a message once; returns the reason if it was not delivered. */
  readonly send: (message: Message) => Promise<string | undefined>
  readonly memory: Pick<MemoryFile, 'load' | 'store' | 'putAside'>
  readonly nowSeconds: () => number
  readonly logger: Logger
  /** Waits between checks and attempts; returns early when the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Checks the alerts and delivers messages until the signal is aborted. */
export async function runAlertLoop(deps: AlertLoopDeps, signal: AbortSignal): Promise<void> {
  const { nowSeconds, logger } = deps
  const store = storeOf(deps)
  const delivery = createDelivery(deps, store)
  let state = startAnnouncing(await loadMemory(deps), nowSeconds())
  // The file is written now, so that a file that cannot be written is reported at the start, and
  // not only with the first message.
  await store(state)
  while (!signal.aborted) {
    const { quiet } = state
    state = announce(state, await readCheck(deps), randomUUID)
    if (state.quiet !== quiet)
      logger.info({ reason: state.quiet }, state.quiet === undefined ? 'sending alerts' : 'quiet')
    await store(state)
    state = await delivery.deliver(state)
    await (deps.wait ?? wait)(delivery.pauseMs(), signal)
  }
  await store(state)
}

type Store = (memory: AlertMemory) => Promise<void>

/**
 * Returns a function that stores the memory if it is not in the file. A file that cannot be
 * written, for example on a full disk, must not end the process: a start would forget what is
 * only in memory, and be quiet for an hour. So the failure is logged once, and the next call
 * tries again.
 */
function storeOf({ memory, logger }: AlertLoopDeps): Store {
  let stored: AlertMemory | undefined
  let isFailing = false
  return async (state) => {
    if (stored?.open === state.open && stored.messages === state.messages) return
    try {
      await memory.store(state)
      stored = state
      if (isFailing) logger.info('alerts_state_file written again')
      isFailing = false
    } catch (error) {
      if (!isExpected(error)) throw error
      if (!isFailing)
        logger.error(failureFields(error), 'alerts_state_file cannot be written; trying again')
      isFailing = true
    }
  }
}

function createDelivery({ send, nowSeconds, logger }: AlertLoopDeps, store: Store) {
  /** Number of failed attempts since the last delivery. */
  let failures = 0
  return {
    /**
     * Sends the messages in their order, up to the first that fails and is less than a day old;
     * drops older messages that fail. Returns the state with the messages that are left.
     */
    async deliver(state: AnnouncerState): Promise<AnnouncerState> {
      let left = state
      for (const message of state.messages) {
        const { id, kind, state: change, incident, series } = message
        const facts = { id, kind, state: change, incident: incident?.id, series: series.length }
        const reason = await send(message)
        const isOld = nowSeconds() - Date.parse(message.at) / 1000 >= giveUpSeconds
        if (reason === undefined) logger.info(facts, 'alert delivered')
        else if (isOld) logger.error({ ...facts, reason }, 'alert dropped after a day')
        else if (failures === 0) logger.warn({ ...facts, reason }, 'alert not delivered')
        failures = reason === undefined ? 0 : failures + 1
        if (reason !== undefined && !isOld) return left
        left = { ...left, messages: left.messages.slice(1) }
        await store(left)
      }
      return left
    },
    pauseMs: () =>
      failures === 0
        ? checkIntervalMs
        : Math.min(firstPauseMs * 2 ** (failures - 1), checkIntervalMs),
  }
}

/** Puts a damaged file aside and goes on without it: the open alerts are announced again. */
async function loadMemory({ memory, logger }: AlertLoopDeps): Promise<AlertMemory> {
  try {
    return await memory.load()
  } catch (error) {
    if (!(error instanceof DamagedMemory)) throw error
    const setAside = await memory.putAside()
    const fields = { reason: error.message, set_aside: setAside }
    logger.warn(fields, 'alerts_state_file damaged: open alerts are sent again')
    return { open: [], messages: [] }
  }
}

async function readCheck({ openAlerts, indexerStatus, nowSeconds }: AlertLoopDeps): Promise<Check> {
  const found = await openAlerts().catch((error: unknown) => {
    if (error instanceof Error && isExpected(error)) return error
    throw error
  })
  return { found, status: await indexerStatus(), nowSeconds: nowSeconds() }
}
