/** One try at one turn: its signs of life, whatever ends it, and its report. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import { CheckoutError } from './checkout.ts'
import type { Delivery, GatewayClient } from './gateway-client.ts'
import { LiveEvents } from './live-events.ts'
import { plainText } from './sandbox/plain-text.ts'
import { HostError, type WorkDeps, workOnTurn } from './turn-work.ts'

export interface TurnDeps extends WorkDeps {
  gateway: GatewayClient
  log: Log
}

export interface TurnEnd {
  report: TurnReport['kind'] | 'none'
  delivery: Delivery | 'none'
}

/** `lost`: another runner has the turn, or nobody; there is no one to report to. */
type Stop = 'stopped' | 'handed_back' | 'lost'

/**
 * The gateway's clock decides, and its next answer says so. Ours is for a gateway that is away for so long: a turn that we
 * stopped before its time would count as cancelled.
 */
const deadlineSlackMs = 60_000
const flushWithinMs = 30_000
/** Both, and the end of the box, which takes a moment, within five seconds. */
const lastFlushWithinMs = 1_000
const lastReportWithinMs = 3_000

export async function runTurn(turn: ClaimedTurn, deps: TurnDeps, shuttingDown: AbortSignal): Promise<TurnEnd> {
  const log = deps.log.child({ turnId: turn.turnId })
  const stopping = new AbortController()
  const stopAs = (how: Stop, why: string) => {
    if (!stopping.signal.aborted) log.info({ why }, 'stopping a turn')
    stopping.abort(how) // the first one counts
  }
  const giveUp = new AbortController()
  const shutDown = () => {
    stopAs('handed_back', 'shutdown')
    void sleep(lastFlushWithinMs + lastReportWithinMs, undefined, { ref: false }).then(() => giveUp.abort())
  }
  shuttingDown.addEventListener('abort', shutDown)
  if (shuttingDown.aborted) shutDown()
  const leftMs = new Date(turn.deadlineAt).getTime() - Date.now()
  const deadline = setTimeout(() => stopAs('stopped', 'deadline'), leftMs + deadlineSlackMs)
  try {
    // It lives until the report has arrived: a long one over a thin line must not look like a dead runner.
    await using events = new LiveEvents({
      gateway: deps.gateway,
      attemptToken: turn.attemptToken,
      heartbeatSeconds: turn.heartbeatSeconds,
      onStop: (reason) => stopAs(reason === 'paused' ? 'handed_back' : 'stopped', reason),
      onLost: () => stopAs('lost', 'not ours'),
    })
    const found = await work(turn, deps, events, { log, signal: stopping.signal })
    // An engine may fail because its model was refused, before we hear that the turn is to stop: the last answer says it.
    await events.flush(
      found
        ? AbortSignal.any([shuttingDown, AbortSignal.timeout(flushWithinMs)])
        : AbortSignal.timeout(lastFlushWithinMs),
    )
    const report =
      found?.kind === 'result' || !stopping.signal.aborted ? found : reportOf(stopping.signal.reason as Stop)
    return report ? await deliver(report, turn, deps, giveUp.signal) : { report: 'none', delivery: 'none' }
  } finally {
    clearTimeout(deadline)
    shuttingDown.removeEventListener('abort', shutDown)
  }
}

/** Undefined: it was stopped. */
async function work(
  turn: ClaimedTurn,
  deps: TurnDeps,
  events: LiveEvents,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<TurnReport | undefined> {
  if (signal.aborted) return undefined
  try {
    const report = await workOnTurn(turn, deps, (event) => events.add(event), signal)
    return signal.aborted ? undefined : report
  } catch (error) {
    if (signal.aborted && error instanceof CheckoutError) return undefined
    log.error({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, 'a turn broke off')
    if (signal.aborted) return undefined
    if (error instanceof HostError) return { kind: 'handed_back' }
    return { kind: 'agent_failed', message: plainText(String(error)).slice(0, 2_000) }
  }
}

function reportOf(stop: Stop): TurnReport | undefined {
  return stop === 'lost' ? undefined : { kind: stop }
}

async function deliver(report: TurnReport, turn: ClaimedTurn, deps: TurnDeps, giveUp: AbortSignal): Promise<TurnEnd> {
  const delivery = await deps.gateway.report(turn.attemptToken, report, giveUp)
  if (delivery !== 'refused' || report.kind !== 'result') return { report: report.kind, delivery }
  return deliver({ kind: 'agent_failed', message: 'The gateway did not take the result.' }, turn, deps, giveUp)
}
