/** Relays a provider's response to the agent. Reads the usage from it, and replaces the provider's error messages. */
import type { HandleProviderError } from './call-provider.ts'
import { parseJsonObject } from './json.ts'
import { ModelError } from './model-error.ts'
import type { ProviderAdapter } from './provider-adapter.ts'
import { formatServerSentEvent, readServerSentEvents } from './server-sent-events.ts'
import type { UsageMeter } from './usage-meter.ts'

interface RelayedResponse {
  adapter: ProviderAdapter
  response: Response
  meter: UsageMeter
  handleProviderError: HandleProviderError
}

export async function relayWholeResponse({
  adapter,
  response,
  meter,
  handleProviderError,
}: RelayedResponse): Promise<string> {
  try {
    const text = await response.text()
    const value = parseJsonObject(text)
    if (!value) throw new ModelError('failed')
    meter.reportUsage(adapter.readUsage(value))
    const providerError = adapter.readError(value)
    if (providerError) {
      await meter.settleFailed({ hasStarted: false })
      throw handleProviderError(providerError)
    }
    await meter.settleComplete()
    return text
  } finally {
    await meter.settleInterrupted() // no effect if it was settled above
  }
}

/** Relays event by event, with backpressure. An interrupted stream of the provider ends as an interrupted stream. */
export async function* relayStreamedResponse({
  adapter,
  response,
  meter,
  handleProviderError,
}: RelayedResponse): AsyncGenerator<string> {
  try {
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel()
      throw new ModelError('failed')
    }
    let hasStarted = false
    for await (const event of readServerSentEvents(response.body)) {
      const value = parseJsonObject(event.data)
      const isLast = adapter.isFinalEvent(event, value)
      if (!value && !isLast) continue // a keep-alive comment, or nothing that an agent could parse
      if (value) meter.reportUsage(adapter.readUsage(value))
      const providerError = value && adapter.readError(value)
      if (providerError) {
        await meter.settleFailed({ hasStarted })
        yield formatServerSentEvent(adapter.errorEvent(handleProviderError(providerError)))
        return
      }
      // Before the agent can see the end: so this call is settled for its next call and for readers of the usage.
      if (isLast) await meter.settleComplete()
      hasStarted = true
      yield formatServerSentEvent(event)
    }
    await meter.settleComplete()
  } finally {
    await meter.settleInterrupted() // no effect if it was settled above; also runs when the client disconnects
  }
}
