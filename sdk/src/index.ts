// biome-ignore-all lint/performance/noBarrelFile: the package's front door; everything behind it can move
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ColophonError, type FieldError } from './colophon-error.ts'
export type { Health, PartReport, Readiness } from './health.ts'
export type { CallOptions } from './request.ts'
