/**
 * A body is held in memory several times over while it is read, parsed and stored. Runners may send as much as they like at
 * once, so that only so many bytes are taken in at a time; small ones are never in anybody's way.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../platform/http/problem.ts'

export class BodyBudget {
  readonly #maxBytes: number
  #takenBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Until the answer is out. One is always taken, however large. */
  take({ headers, routeOptions }: FastifyRequest, reply: FastifyReply): void {
    // Who left while we looked up its token will not leave once more.
    if (reply.raw.destroyed) throw new Problem('invalid_request', 'Nobody waits for the answer.')
    const bytes = Math.min(Number(headers['content-length'] ?? Number.POSITIVE_INFINITY), routeOptions.bodyLimit ?? 0)
    if (this.#takenBytes > 0 && this.#takenBytes + bytes > this.#maxBytes) {
      throw new Problem('unavailable', 'Other results are being taken in: send it again.', {
        headers: { 'retry-after': '1' },
      })
    }
    this.#takenBytes += bytes
    reply.raw.once('close', () => {
      this.#takenBytes -= bytes
    })
  }
}
