/**
 * A request body takes several times its size in memory while it is read, parsed and stored. Runners may send any number of
 * large bodies at once, so the gateway limits how many bytes it accepts at a time. Small bodies are not limited.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ByteBudget } from '../platform/byte-budget.ts'
import { Problem } from '../platform/http/problem.ts'

export class BodyMemoryLimit {
  readonly #budget: ByteBudget

  constructor(maxBytes: number) {
    this.#budget = new ByteBudget(maxBytes)
  }

  /** Reserves the memory until the response is sent. One body is always accepted, however large. */
  reserve({ headers, routeOptions }: FastifyRequest, reply: FastifyReply): void {
    // If the client disconnected during the token lookup, `close` was already emitted and would not release the bytes.
    if (reply.raw.destroyed) throw new Problem('invalid_request', 'The client closed the connection.')
    const bytes = Math.min(Number(headers['content-length'] ?? Number.POSITIVE_INFINITY), routeOptions.bodyLimit ?? 0)
    if (!this.#budget.tryReserve(bytes)) {
      throw new Problem('unavailable', 'The gateway is receiving other large requests. Retry in a second.', {
        headers: { 'retry-after': '1' },
      })
    }
    reply.raw.once('close', () => this.#budget.release(bytes))
  }
}
