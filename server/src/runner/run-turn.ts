/** One attempt at a turn: its heartbeats, everything that can stop it, and its report. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'
import type { ClaimedTurn, TurnReport } from '../runner-wire/runner-wire.ts'
import { CheckoutError } from './checkout.ts'
import { EventUploader } from './event-uploader.ts'
import { type ExecuteTurnDeps, executeTurn, SandboxUnavailableError } from './execute-turn.ts'
import type { GatewayClient, ReportDeliveryOutcome } from './gateway-client.ts'
import { stripTerminalSequences } from './sandbox/terminal-text.ts'

export interface RunTurnDeps extends ExecuteTurnDeps {
  gateway: GatewayClient
  log: Log
}

export interface AttemptOutcome {
  report: TurnReport['kind'] | 'none'
  delivery: ReportDeliveryOutcome | 'none'
}

/** `lost`: the attempt is no longer valid, so nothing is reported. */
type Stop = 'stopped' | 'released' | 'lost'

/**
 * The gateway enforces the deadline by its own clock and says so in its next response. The runner's timer is only for a gateway
 * that cannot be reached for this long: a turn that the runner stopped too early would count as cancelled.
 */
const deadlineSlackMs = 60_000
const flushTimeoutMs = 30_000
/** After a stop. Both together, and closing the sandbox, must take less than five seconds. */
const finalFlushTimeoutMs = 1_000
const finalReportTimeoutMs = 3_000

export async function runTurn(
  turn: ClaimedTurn,
  deps: RunTurnDeps,
  shuttingDown: AbortSignal,
): Promise<AttemptOutcome> {
  const log = deps.log.child({ turnId: turn.turnId })
  const stopping = new AbortController()
  const stopAs = (stop: Stop, reason: string) => {
    if (!stopping.signal.aborted) log.info({ reason }, 'stopping turn')
    stopping.abort(stop) // the first reason wins
  }
  const giveUp = new AbortController()
  const shutDown = () => {
    stopAs('released', 'shutdown')
    void sleep(finalFlushTimeoutMs + finalReportTimeoutMs, undefined, { ref: false }).then(() => giveUp.abort())
  }
  shuttingDown.addEventListener('abort', shutDown)
  if (shuttingDown.aborted) shutDown()
  const deadline = setTimeout(() => stopAs('stopped', 'deadline'), turn.secondsLeft * 1000 + deadlineSlackMs)
  try {
    // Heartbeats continue until the report is delivered: uploading a large report slowly must not look like a dead runner.
    await using events = new EventUploader({
      gateway: deps.gateway,
      attemptToken: turn.attemptToken,
      heartbeatSeconds: turn.heartbeatSeconds,
      onStop: (reason) => stopAs(reason === 'paused' ? 'released' : 'stopped', reason),
      onLost: () => stopAs('lost', 'attempt lost'),
    })
    const outcome = await execute(turn, deps, events, { log, signal: stopping.signal })
    // The gateway denies model calls of a turn that is to stop, so the agent may fail before the runner knows about the stop. The
    // response to the last upload says so.
    await events.flush(
      outcome
        ? AbortSignal.any([shuttingDown, AbortSignal.timeout(flushTimeoutMs)])
        : AbortSignal.timeout(finalFlushTimeoutMs),
    )
    const report =
      outcome?.kind === 'result' || !stopping.signal.aborted ? outcome : toReport(stopping.signal.reason as Stop)
    return report ? await deliver(report, turn, deps, giveUp.signal) : { report: 'none', delivery: 'none' }
  } finally {
    clearTimeout(deadline)
    shuttingDown.removeEventListener('abort', shutDown)
  }
}

/** Undefined: the turn was stopped. */
async function execute(
  turn: ClaimedTurn,
  deps: RunTurnDeps,
  events: EventUploader,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<TurnReport | undefined> {
  if (signal.aborted) return undefined
  try {
    const report = await executeTurn(turn, deps, (event) => events.add(event), signal)
    return signal.aborted ? undefined : report
  } catch (error) {
    if (signal.aborted && error instanceof CheckoutError) return undefined
    log.error({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, 'turn failed')
    if (signal.aborted) return undefined
    if (error instanceof SandboxUnavailableError) return { kind: 'released' }
    return { kind: 'agent_failed', message: stripTerminalSequences(String(error)).slice(0, 2_000) }
  }
}

function toReport(stop: Stop): TurnReport | undefined {
  return stop === 'lost' ? undefined : { kind: stop }
}

async function deliver(
  report: TurnReport,
  turn: ClaimedTurn,
  deps: RunTurnDeps,
  giveUp: AbortSignal,
): Promise<AttemptOutcome> {
  const delivery = await deps.gateway.report(turn.attemptToken, report, giveUp)
  if (delivery !== 'rejected' || report.kind !== 'result') return { report: report.kind, delivery }
  return deliver({ kind: 'agent_failed', message: 'The gateway rejected the result.' }, turn, deps, giveUp)
}
