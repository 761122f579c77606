/** What the two formats of OpenAI have in common. */
import Type from 'typebox'
import type { Usage } from '../../models/model.ts'
import { type JsonObject, toJsonObject, toNonNegativeInteger } from './json.ts'

/** Only inline data: the provider would fetch a URL. */
export const ImageDataUrl = Type.String({ pattern: '^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$' })
export const ImageDetail = Type.Optional(Type.Enum(['auto', 'low', 'high']))
export const ReasoningEffort = Type.String({ pattern: '^[a-z]{1,20}$' })

export const createOpenaiHeaders = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` }

/** In these formats the input tokens include those read from and written to the cache. */
export function parseOpenaiUsage(
  usage: JsonObject,
  input: 'prompt' | 'input',
  output: 'completion' | 'output',
): Partial<Usage> {
  const totalInput = toNonNegativeInteger(usage[`${input}_tokens`])
  const outputTokens = toNonNegativeInteger(usage[`${output}_tokens`])
  if (totalInput === undefined || outputTokens === undefined) return {}
  const details = toJsonObject(usage[`${input}_tokens_details`])
  const cacheReadTokens = Math.min(toNonNegativeInteger(details?.cached_tokens) ?? 0, totalInput)
  const cacheWriteTokens = Math.min(
    toNonNegativeInteger(details?.cache_write_tokens) ?? 0,
    totalInput - cacheReadTokens,
  )
  return {
    inputTokens: totalInput - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
  }
}
