/** A provider's answer on its way to the engine: read for its usage, and for errors that are not to be told in its words. */
import type { ExplainFault } from './call-provider.ts'
import { parseObject } from './json.ts'
import type { Meter } from './meter.ts'
import { ModelError } from './model-error.ts'
import { readEvents, writeEvent } from './server-sent-events.ts'
import type { Wire } from './wire.ts'

interface Answer {
  wire: Wire
  response: Response
  meter: Meter
  explainFault: ExplainFault
}

export async function relayWholeResponse({ wire, response, meter, explainFault }: Answer): Promise<string> {
  try {
    const text = await response.text()
    const value = parseObject(text)
    if (!value) throw new ModelError('failed')
    meter.see(wire.usageIn(value))
    const fault = wire.faultIn(value)
    if (fault) {
      await meter.failed({ isBegun: false })
      throw explainFault(fault)
    }
    await meter.complete()
    return text
  } finally {
    await meter.brokenOff() // unless it was settled above
  }
}

/** Event by event, as fast as they are taken. Ends as the provider's stream ends: cut where that is cut. */
export async function* relayStreamedResponse({ wire, response, meter, explainFault }: Answer): AsyncGenerator<string> {
  try {
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel()
      throw new ModelError('failed')
    }
    let isBegun = false
    for await (const event of readEvents(response.body)) {
      const value = parseObject(event.data)
      const isLast = wire.isLast(event, value)
      if (!value && !isLast) continue // a sign of life, or nothing that an engine could read
      if (value) meter.see(wire.usageIn(value))
      const fault = value && wire.faultIn(value)
      if (fault) {
        await meter.failed({ isBegun })
        yield writeEvent(wire.errorEvent(explainFault(fault)))
        return
      }
      // Before the engine can know that it is over: its next call, and whoever asks what was used, finds this call settled.
      if (isLast) await meter.complete()
      isBegun = true
      yield writeEvent(event)
    }
    await meter.complete()
  } finally {
    await meter.brokenOff() // unless it was settled above: also when nobody takes the answer any more
  }
}
