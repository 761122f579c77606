/**
 * The publish lease: only one worker at a time publishes a turn. Temporal ensures this while it gets heartbeats from the worker;
 * the lease also covers a worker that is alive but that Temporal considers dead.
 */
import { randomUUID } from 'node:crypto'
import { ApplicationFailure, Context } from '@temporalio/activity'
import type { TurnStore } from '../jobs/turn-store.ts'
import type { Id } from '../platform/ids.ts'

/** `signal` is aborted when the lease is lost or the activity cancelled. */
export async function withPublishLease<Result>(
  { turns, turnId, timeoutMs }: { turns: TurnStore; turnId: Id<'trn'>; timeoutMs: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current()
  const holder = randomUUID()
  const leaseSeconds = timeoutMs / 1000
  if (!(await turns.acquirePublishLease(turnId, holder, leaseSeconds))) {
    throw ApplicationFailure.create({
      message: 'another worker has the publish lease',
      type: 'publish_timeout',
      nextRetryDelay: '1 second',
    })
  }
  const lost = new AbortController()
  const loseLease = () => lost.abort(new Error('publish lease lost'))
  // A timer and not a comparison of times after each query: a query may get no response for as long as the lease lasts.
  let expiry = setTimeout(loseLease, timeoutMs)
  const renew = async () => {
    context.heartbeat()
    const requestedAtMs = performance.now()
    const renewed = await turns.acquirePublishLease(turnId, holder, leaseSeconds).catch(() => undefined)
    if (renewed === false) loseLease()
    if (!renewed) return
    clearTimeout(expiry)
    expiry = setTimeout(loseLease, timeoutMs - (performance.now() - requestedAtMs))
  }
  const timer = setInterval(() => void renew(), timeoutMs / 3)
  try {
    return await work(AbortSignal.any([context.cancellationSignal, lost.signal]))
  } finally {
    clearInterval(timer)
    clearTimeout(expiry)
    await turns.releasePublishLease(turnId, holder).catch(() => {}) // else it expires
  }
}
