// pg has no error codes for these
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client .* is not queryable$)/
const unavailableCodes = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE', // from the network
  '57P01',
  '57P02',
  '57P03',
  '08006', // from PostgreSQL: shutting down, crashed, starting up, connection lost
  4,
  14, // from gRPC: deadline exceeded, unavailable
])

/** True when the error means that a service could not be reached, false when the service rejected the request. */
export function isServiceUnavailable(error: unknown): boolean {
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown }
  if (unavailableCodes.has(code) || unavailableMessages.test(message ?? '')) return true
  const inner = error instanceof AggregateError ? error.errors : cause ? [cause] : []
  return inner.some(isServiceUnavailable)
}
