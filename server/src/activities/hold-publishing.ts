/**
 * One worker at a time publishes a turn. Temporal sees to that as long as it hears from the worker; this holds too when the
 * worker lives and Temporal thinks it dead.
 */
import { randomUUID } from 'node:crypto'
import { ApplicationFailure, Context } from '@temporalio/activity'
import type { TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'

/** `signal` ends the work when the turn is no longer ours. */
export async function whileHoldingTurn<Result>(
  { turns, turnId, timeoutMs }: { turns: TurnStore; turnId: Id<'trn'>; timeoutMs: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current()
  const holder = randomUUID()
  const seconds = timeoutMs / 1000
  let heldAtMs = Date.now()
  if (!(await turns.holdPublishing(turnId, holder, seconds))) {
    throw ApplicationFailure.create({
      message: 'another worker publishes it',
      type: 'publish_timeout',
      nextRetryDelay: '1 second',
    })
  }
  const lost = new AbortController()
  const renew = async () => {
    context.heartbeat()
    const askedAtMs = Date.now()
    const held = await turns.holdPublishing(turnId, holder, seconds).catch(() => undefined)
    if (held) heldAtMs = askedAtMs
    else if (held === false || Date.now() - heldAtMs >= timeoutMs) lost.abort(new Error('the turn is no longer ours'))
  }
  const renewing = setInterval(() => void renew(), timeoutMs / 3)
  try {
    return await work(AbortSignal.any([context.cancellationSignal, lost.signal]))
  } finally {
    clearInterval(renewing)
    await turns.letGoOfPublishing(turnId, holder).catch(() => {}) // else it runs out by itself
  }
}
