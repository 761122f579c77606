/** When a failed delivery is sent again, and when an endpoint that fails is called again. */

const delaysSeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400] as const
const maxDelaySeconds = 28_800

/** After this many failed attempts. With up to 10% more, so that deliveries that failed together are not repeated together. */
export const retryDelaySeconds = (failedAttempts: number, random = Math.random()): number =>
  (delaysSeconds[failedAttempts - 1] ?? maxDelaySeconds) * (1 + random / 10)

/** From the event to the last attempt. */
export const giveUpAfterHours = 72

/** An endpoint that has failed this often without a success is called by one request at a time, and less and less often. */
export const maxConsecutiveFailures = 5

const backoffSeconds = [10, 30, 60, 300, 900] as const
const maxBackoffSeconds = 3600

/** Null: the endpoint is called normally. */
export const endpointBackoffSeconds = (consecutiveFailures: number): number | null =>
  consecutiveFailures < maxConsecutiveFailures
    ? null
    : (backoffSeconds[consecutiveFailures - maxConsecutiveFailures] ?? maxBackoffSeconds)

/** After which an endpoint that has only failed is disabled. */
export const disableAfterDays = 5
