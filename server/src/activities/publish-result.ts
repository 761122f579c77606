import { ApplicationFailure } from '@temporalio/activity'
import type { Pool } from 'pg'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { Log } from '../platform/log.ts'
import type { SealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import type { PublishResult } from './job-activities.ts'

export function createPublishResult({
  attempts,
}: {
  pool: Pool
  attempts: AttemptStore
  sealingKeys: SealingPrivateKeys
  log: Log
}): PublishResult {
  return async ({ turnId }) => {
    const result = await attempts.readResult(turnId)
    if (!result) throw ApplicationFailure.nonRetryable('no result', 'internal_error')
    const { title, reply, checks, inputTokens, outputTokens } = result
    return { outcome: 'no_changes', diff: null, title, reply, checks, inputTokens, outputTokens, pullRequest: null }
  }
}
