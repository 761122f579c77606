/** What the two formats of OpenAI have in common. */
import Type from 'typebox'
import type { Usage } from '../../models/model.ts'
import { type JsonObject, toCount, toJsonObject } from './json.ts'

/** Only inline data: the provider would fetch a URL. */
export const imageData = Type.String({ pattern: '^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$' })
export const imageDetail = Type.Optional(Type.Enum(['auto', 'low', 'high']))
export const reasoningEffort = Type.String({ pattern: '^[a-z]{1,20}$' })

export const openaiHeaders = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` }

/** In these formats the input tokens include those read from and written to the cache. */
export function parseOpenaiUsage(
  usage: JsonObject,
  input: 'prompt' | 'input',
  output: 'completion' | 'output',
): Partial<Usage> {
  const totalInput = toCount(usage[`${input}_tokens`])
  const outputTokens = toCount(usage[`${output}_tokens`])
  if (totalInput === undefined || outputTokens === undefined) return {}
  const details = toJsonObject(usage[`${input}_tokens_details`])
  const cacheReadTokens = Math.min(toCount(details?.cached_tokens) ?? 0, totalInput)
  const cacheWriteTokens = Math.min(toCount(details?.cache_write_tokens) ?? 0, totalInput - cacheReadTokens)
  return {
    inputTokens: totalInput - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
  }
}
