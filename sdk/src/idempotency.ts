import type { CallOptions } from './request.ts'

/** Options of a call that does its work once, however often it is repeated. */
export interface IdempotentCallOptions extends CallOptions {
  /**
   * A repeated call with the same key returns the first response instead of doing the work twice. By default, each call gets a
   * new key, which covers its own retries. Choose one yourself, for example the ID of a CI run, if your program can repeat the call.
   */
  idempotencyKey?: string
}

const keyBytes = 16

/** Not `randomUUID`: browsers provide it only on pages served over TLS. */
const randomKey = () =>
  `sdk-${Array.from(crypto.getRandomValues(new Uint8Array(keyBytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

export const toIdempotencyHeaders = ({ idempotencyKey = randomKey() }: IdempotentCallOptions) => ({
  headers: { 'idempotency-key': idempotencyKey },
})
