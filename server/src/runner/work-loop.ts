/** Claims and runs turns, up to a number at a time, until the runner stops. */
import { setTimeout as sleep } from 'node:timers/promises'
import { countMetric, setMetric } from '../platform/metrics/metrics.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'
import { GatewayError } from './gateway-client.ts'
import { type RunTurnDeps, runTurn } from './run-turn.ts'

export interface WorkLoop {
  /** The gateway does not know the token, or it was revoked. */
  readonly isTokenRejected: boolean
  /** Claims no more turns. Running turns get this long to finish and are then released, within five seconds. */
  stop(finishWithinSeconds: number): Promise<void>
}

const minBackoffMs = 1_000
const maxBackoffMs = 30_000

export interface WorkLoopOptions {
  maxConcurrentTurns: number
  /** Called until it succeeds once. Before that, no turn is claimed. */
  beforeClaiming(stop: AbortSignal): Promise<void>
}

export function startWorkLoop(deps: RunTurnDeps, { maxConcurrentTurns, beforeClaiming }: WorkLoopOptions): WorkLoop {
  setMetric('colophon_runner_capacity', {}, maxConcurrentTurns)
  setMetric('colophon_runner_turns_running', {}, 0)
  const stopClaiming = new AbortController()
  const releaseTurns = new AbortController()
  const { claim, status } = createClaim(deps, beforeClaiming, stopClaiming.signal)
  const slots = Array.from({ length: maxConcurrentTurns }, () =>
    runSlot(claim, deps, stopClaiming.signal, releaseTurns.signal),
  )
  return {
    get isTokenRejected() {
      return status.isTokenRejected
    },
    async stop(finishWithinSeconds) {
      stopClaiming.abort()
      const timer = setTimeout(() => releaseTurns.abort(), finishWithinSeconds * 1000)
      await Promise.all(slots)
      clearTimeout(timer)
    },
  }
}

type Claim = () => Promise<ClaimedTurn | 'none' | 'failed'>

/** Logs once when claiming fails and once when it works again, for all slots together. */
function createClaim(
  { gateway, log }: RunTurnDeps,
  beforeClaiming: WorkLoopOptions['beforeClaiming'],
  stopClaiming: AbortSignal,
) {
  let mayClaim = false
  let isFailing = false
  const status = { isTokenRejected: false }
  const claim: Claim = async () => {
    try {
      if (!mayClaim) await beforeClaiming(stopClaiming)
      mayClaim = true
      const turn = await gateway.claim(stopClaiming)
      if (isFailing) log.info('claiming turns again')
      isFailing = false
      status.isTokenRejected = false
      return turn ?? 'none'
    } catch (error) {
      if (stopClaiming.aborted) return 'failed'
      countMetric('colophon_runner_claim_failures_total', {})
      status.isTokenRejected = error instanceof GatewayError && error.isAttemptLost
      if (isFailing) return 'failed'
      isFailing = true
      const message = status.isTokenRejected ? 'gateway rejected the runner token' : 'cannot claim turns'
      log.warn({ error: String(error) }, message)
      return 'failed'
    }
  }
  return { claim, status }
}

async function runSlot(
  claim: Claim,
  deps: RunTurnDeps,
  stopClaiming: AbortSignal,
  releaseTurns: AbortSignal,
): Promise<void> {
  let backoffMs = minBackoffMs
  while (!stopClaiming.aborted) {
    const turn = await claim()
    // A turn that is claimed during shutdown is released at once, so that another runner can start it.
    const succeeded =
      typeof turn === 'string'
        ? turn !== 'failed'
        : await runClaimedTurn(turn, deps, stopClaiming.aborted ? stopClaiming : releaseTurns)
    if (succeeded) {
      backoffMs = minBackoffMs
      continue
    }
    // With jitter, so that many runners that lost their gateway do not all return at the same moment.
    await sleep(backoffMs * (0.5 + Math.random()), undefined, { signal: stopClaiming }).catch(() => {})
    backoffMs = Math.min(backoffMs * 2, maxBackoffMs)
  }
}

let runningTurns = 0

/** False: the turn was released or lost, and the next claim should back off. */
async function runClaimedTurn(turn: ClaimedTurn, deps: RunTurnDeps, release: AbortSignal): Promise<boolean> {
  const log = deps.log.child({ turnId: turn.turnId })
  log.info('turn claimed')
  setMetric('colophon_runner_turns_running', {}, ++runningTurns)
  try {
    const end = await runTurn(turn, deps, release)
    countMetric('colophon_runner_turns_total', { report: end.report })
    log.info(end, 'turn ended')
    return end.report !== 'released'
  } catch (error) {
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'turn lost') // other turns continue
    return false
  } finally {
    setMetric('colophon_runner_turns_running', {}, --runningTurns)
  }
}
