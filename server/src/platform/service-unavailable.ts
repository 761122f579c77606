// pg has no error codes for these
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout$|Client .* is not queryable$)/
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
  '25P03', // from PostgreSQL: the transaction was idle for too long
  '53100',
  '53200',
  '53300', // from PostgreSQL: disk full, out of memory, too many connections
  '57014', // from PostgreSQL: the statement timeout
  '25006', // from PostgreSQL: read-only, for example because it became a standby
  4,
  14, // from gRPC: deadline exceeded, unavailable
])

/** From PostgreSQL: the lock timeout, a deadlock. */
const lockConflictCodes = new Set<unknown>(['55P03', '40P01'])

/** True when the error means that another transaction held a lock for too long. */
export const isLockConflict = (error: unknown): boolean => lockConflictCodes.has((error as { code?: unknown }).code)

/**
 * True when the error means that a service could not be reached, or could not do its work now, false when the service rejected
 * the request.
 */
export function isServiceUnavailable(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string }
  if (unavailableCodes.has(code) || unavailableMessages.test(message ?? '') || isLockConflict(error)) return true
  return listCauses(error).some(isServiceUnavailable)
}

/** With the messages of the causes: Node has none of its own for a host with several addresses. */
export function describeWithCauses(error: unknown): string {
  const { message } = error as { message?: string }
  return [message, listCauses(error).map(describeWithCauses).join(', ')].filter(Boolean).join(': ')
}

function listCauses(error: unknown): unknown[] {
  if (error instanceof AggregateError) return error.errors
  const { cause } = error as { cause?: unknown }
  return cause ? [cause] : []
}
