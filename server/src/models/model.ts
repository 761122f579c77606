import type { Id } from '../platform/ids.ts'

/** API format of the provider. The agent uses the same format towards the gateway. */
export const modelFormats = ['anthropic-messages', 'openai-completions', 'openai-responses'] as const
export type ModelFormat = (typeof modelFormats)[number]

/** US dollars per million tokens, as decimal text: PostgreSQL computes costs exactly. Null: unknown. */
export interface Prices {
  input: string | null
  output: string | null
  cacheRead: string | null
  cacheWrite: string | null
}

export interface Model {
  /** The name that jobs use. */
  name: string
  format: ModelFormat
  /** With the version and without a trailing slash, like `https://api.anthropic.com/v1`. */
  baseUrl: string
  /** The name that the provider uses. */
  providerModel: string
  contextWindowTokens: number
  maxOutputTokens: number
  prices: Prices
  /** Null: for all projects. */
  projectIds: readonly Id<'prj'>[] | null
  isDefault: boolean
}

/** The model of a job that names none. No model has this name. */
export const defaultModelAlias = 'default'

export const modelNamePattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/

/** Undefined if the text is not an http(s) URL, or has a query, a fragment or credentials. */
export function normalizeBaseUrl(text: string): string | undefined {
  const url = URL.parse(text)
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
  return isPlain ? url.href.replace(/\/+$/, '') : undefined
}

/** Tokens of one call. Each token counts in exactly one of the four. */
export interface Usage {
  inputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  outputTokens: number
}
