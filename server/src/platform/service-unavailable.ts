// pg has no codes for these
const awayMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client .* is not queryable$)/
const awayCodes = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE', // the network's
  '57P01',
  '57P02',
  '57P03',
  '08006', // PostgreSQL's: shutting down, crashed, starting up, connection lost
  4,
  14, // gRPC's: deadline exceeded, unavailable
])

/** The error says that an engine could not be reached, not that it refused. */
export function isServiceUnavailable(error: unknown): boolean {
  const { code, message, cause } = error as { code?: unknown; message?: string; cause?: unknown }
  if (awayCodes.has(code) || awayMessages.test(message ?? '')) return true
  const inner = error instanceof AggregateError ? error.errors : cause ? [cause] : []
  return inner.some(isServiceUnavailable)
}
