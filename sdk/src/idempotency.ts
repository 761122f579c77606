import type { CallOptions } from './request.ts'

export interface IdempotentCallOptions extends CallOptions {
  /** A repeated call with the same key returns the first response instead of doing the work twice. */
  idempotencyKey?: string
}

export const toIdempotencyHeaders = ({ idempotencyKey }: IdempotentCallOptions) =>
  idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }
