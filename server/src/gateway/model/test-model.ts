import type { Model } from '../../models/model.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { EgressError } from '../../platform/egress/egress-error.ts'
import { callProvider, formatProviderError } from './call-provider.ts'
import { parseJsonObject } from './json.ts'
import { ModelError } from './model-error.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { providerAdapters } from './provider-adapters.ts'

const defaultTimeoutMs = 60_000

/** Makes one small call. Returns an error message for the operator, or undefined if the model works. */
export async function testModel(
  model: Model,
  key: string | null,
  egress: Egress,
  timeoutMs = defaultTimeoutMs,
): Promise<string | undefined> {
  const adapter = providerAdapters.find(({ format }) => format === model.format) as ProviderAdapter
  const { providerModel, maxOutputTokens } = model
  const { body } = adapter.rebuild(adapter.minimalRequest, { providerModel, maxOutputTokens, cacheKey: 'test' })
  const call = { adapter, model, key, body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs) }
  try {
    const response = await callProvider(egress, call, (providerError, errorResponse) => {
      const outcome = errorResponse ? `responded with ${errorResponse.status}` : 'reported an error'
      return new ModelError('rejected', {
        message: `The provider ${outcome}: ${formatProviderError(providerError, key) || 'no details'}`,
      })
    })
    const { outputTokens } = adapter.readUsage(parseJsonObject(await response.text()) ?? {})
    if (outputTokens !== undefined) return undefined
    return `The provider responded, but not in the format ${model.format}. Check the format and the base URL.`
  } catch (error) {
    if (call.signal.aborted) return `The provider did not respond within ${timeoutMs / 1000} s.`
    if (error instanceof ModelError || error instanceof EgressError) return error.message
    throw error
  }
}
