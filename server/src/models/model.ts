import type { Id } from '../platform/ids.ts'

/** How the request and the answer are written. The engine speaks a model's format to us, and we speak it to the provider. */
export const modelFormats = ['anthropic-messages', 'openai-completions', 'openai-responses'] as const
export type ModelFormat = (typeof modelFormats)[number]

/** US dollars per million tokens, as decimal text: sums of money are made by PostgreSQL, exactly. Null: not known. */
export interface Prices {
  input: string | null
  output: string | null
  cacheRead: string | null
  cacheWrite: string | null
}

export interface Model {
  /** What jobs call it. */
  name: string
  format: ModelFormat
  /** With its version and without a slash at its end, like `https://api.anthropic.com/v1`. */
  baseUrl: string
  /** What its provider calls it. */
  providerModel: string
  contextWindowTokens: number
  maxOutputTokens: number
  prices: Prices
  /** Null: for all projects. */
  projectIds: readonly Id<'prj'>[] | null
  isDefault: boolean
}

/** A job that names no model has this in its place. No model has it as its name. */
export const defaultModel = 'default'

export const modelNamePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/

/** Undefined: it is not an address, or one with more in it than a place. */
export function plainBaseUrl(typed: string): string | undefined {
  const url = URL.parse(typed)
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
  return isPlain ? url.href.replace(/\/+$/, '') : undefined
}

/** Tokens of one call, each counted in one of the four. */
export interface Usage {
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}
