/** What OpenAI's two formats have in common. */
import Type from 'typebox'
import type { Usage } from '../../models/model.ts'
import { countOf, type Json, objectOf } from './json.ts'

/** In the request itself: an address would be fetched by the provider. */
export const imageData = Type.String({ pattern: '^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$' })
export const imageDetail = Type.Optional(Type.Enum(['auto', 'low', 'high']))
export const effort = Type.String({ pattern: '^[a-z]{1,20}$' })

export const openaiHeaders = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` }

/** Here the input includes what came from the cache and what went into it. */
export function usageOf(usage: Json, input: 'prompt' | 'input', output: 'completion' | 'output'): Partial<Usage> {
  const all = countOf(usage[`${input}_tokens`])
  const outputTokens = countOf(usage[`${output}_tokens`])
  if (all === undefined || outputTokens === undefined) return {}
  const details = objectOf(usage[`${input}_tokens_details`])
  const cacheReadTokens = Math.min(countOf(details?.cached_tokens) ?? 0, all)
  const cacheWriteTokens = Math.min(countOf(details?.cache_write_tokens) ?? 0, all - cacheReadTokens)
  return { inputTokens: all - cacheReadTokens - cacheWriteTokens, cacheReadTokens, cacheWriteTokens, outputTokens }
}
