/** When a view is counted to have been, given when its sender says it was. */
const oldestMonths = 13

/** What is older comes by import, not by a sender that got its clock or its log wrong. What is yet to come is now. */
export function timeOfView(claimed: Date, receivedAt: Date): Date | 'too_old' {
  if (claimed > receivedAt) return receivedAt
  const oldest = new Date(receivedAt)
  oldest.setUTCMonth(oldest.getUTCMonth() - oldestMonths)
  // The 31st of a shorter month became one of the next.
  if (oldest.getUTCDate() !== receivedAt.getUTCDate()) oldest.setUTCDate(0)
  return claimed < oldest ? 'too_old' : claimed
}
