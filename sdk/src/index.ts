// biome-ignore-all lint/performance/noBarrelFile: the package's entry point; everything else can move
export { type Client, type ClientOptions, createClient } from './client.ts'
export {
  ColophonError,
  type ErrorCode,
  type FieldError,
  isColophonError,
  type KnownErrorCode,
} from './colophon-error.ts'
export type { FollowOptions } from './follow-job.ts'
export type * from './generated/types.gen.ts' // all types of the API contract; explicit exports in this file take precedence
export type { ComponentStatus, Readiness } from './health.ts'
export type { IdempotentCallOptions } from './idempotency.ts'
export type { PagedList } from './paged-list.ts'
export type { CallOptions } from './request.ts'
export type { RetryOptions } from './retry.ts'
export type { CreateAndWaitOptions, JobProgress, WaitOptions } from './wait-for-job.ts'
