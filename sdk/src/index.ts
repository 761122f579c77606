// biome-ignore-all lint/performance/noBarrelFile: the package's front door; everything behind it can move
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ColophonError, type ErrorCode, type FieldError } from './colophon-error.ts'
export type { FollowOptions } from './follow.ts'
export type * from './generated/types.gen.ts' // the contract's own names; where one stands here as well, this one counts
export type { ComponentStatus, Readiness } from './health.ts'
export type { WorkOptions } from './jobs.ts'
export type { CallOptions } from './request.ts'
