/** Decides at which time a view counts, given the time that its sender reported. */
const oldestMonths = 13

/** Older views can only be imported: a sender that reports them has a wrong clock or log. A future time counts as now. */
export function resolveViewTime(reported: Date, receivedAt: Date): Date | 'too_old' {
  if (reported > receivedAt) return receivedAt
  const oldest = new Date(receivedAt)
  oldest.setUTCMonth(oldest.getUTCMonth() - oldestMonths)
  // In a shorter month, the 31st has overflowed into the next month.
  if (oldest.getUTCDate() !== receivedAt.getUTCDate()) oldest.setUTCDate(0)
  return reported < oldest ? 'too_old' : reported
}
