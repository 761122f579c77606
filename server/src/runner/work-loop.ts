/** Takes turns for as long as the runner runs, so many at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'
import { GatewayError } from './gateway-client.ts'
import { runTurn, type TurnDeps } from './run-turn.ts'

export interface WorkLoop {
  /** Takes no new turn; those in hand get this long to finish, and are then handed back, within five seconds. */
  stop(finishWithinSeconds: number): Promise<void>
}

const firstPauseMs = 1_000
const maxPauseMs = 30_000

export function startWorkLoop(deps: TurnDeps, { turnsAtOnce }: { turnsAtOnce: number }): WorkLoop {
  const noMore = new AbortController()
  const handBack = new AbortController()
  const claim = createClaim(deps, noMore.signal)
  const slots = Array.from({ length: turnsAtOnce }, () => takeTurns(claim, deps, noMore.signal, handBack.signal))
  return {
    async stop(finishWithinSeconds) {
      noMore.abort()
      const late = setTimeout(() => handBack.abort(), finishWithinSeconds * 1000)
      await Promise.all(slots)
      clearTimeout(late)
    },
  }
}

type Claim = () => Promise<ClaimedTurn | 'nothing' | 'failed'>

/** Says once when it goes wrong and once when it is well again, however many ask. */
function createClaim({ gateway, log }: TurnDeps, noMore: AbortSignal): Claim {
  let isFailing = false
  return async () => {
    try {
      const turn = await gateway.claim(noMore)
      if (isFailing) log.info('turns can be claimed again')
      isFailing = false
      return turn ?? 'nothing'
    } catch (error) {
      if (isFailing || noMore.aborted) return 'failed'
      isFailing = true
      const isToken = error instanceof GatewayError && error.isNotOurs
      log.warn({ error: String(error) }, isToken ? 'the gateway does not know our token' : 'no turns can be claimed')
      return 'failed'
    }
  }
}

async function takeTurns(claim: Claim, deps: TurnDeps, noMore: AbortSignal, handBack: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs
  while (!noMore.aborted) {
    const turn = await claim()
    // Claimed in the moment of stopping, a turn is better begun elsewhere.
    const wentWell =
      typeof turn === 'string' ? turn !== 'failed' : await takeTurn(turn, deps, noMore.aborted ? noMore : handBack)
    if (wentWell) {
      pauseMs = firstPauseMs
      continue
    }
    // With a part of chance: a fleet that lost its gateway does not come back to it in step.
    await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal: noMore }).catch(() => {})
    pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  }
}

/** False: it went back untouched, or not even that, and the next one should wait a moment. */
async function takeTurn(turn: ClaimedTurn, deps: TurnDeps, handBack: AbortSignal): Promise<boolean> {
  const log = deps.log.child({ turnId: turn.turnId })
  log.info('took a turn')
  try {
    const end = await runTurn(turn, deps, handBack)
    log.info(end, 'ended a turn')
    return end.report !== 'handed_back'
  } catch (error) {
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'a turn was lost') // others are under way
    return false
  }
}
