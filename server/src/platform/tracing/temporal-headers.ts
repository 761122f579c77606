/** The context of a trace in the headers of Temporal's workflows, signals and activities. Temporal stores it in their histories. */
import type { Headers } from '@temporalio/common'
import { defaultPayloadConverter } from '@temporalio/common'
import { currentTraceparent, type Traceparent } from './spans.ts'

/** `workflows/trace-context.ts` passes it on. */
const headerName = 'traceparent'

export function addTraceHeader<Input extends { headers: Headers }>(input: Input): Input {
  const traceparent = currentTraceparent()
  if (traceparent === undefined) return input
  return { ...input, headers: { ...input.headers, [headerName]: defaultPayloadConverter.toPayload(traceparent) } }
}

/** Undefined: what started the activity was not traced. */
export function readTraceHeader(headers: Headers): Traceparent | undefined {
  const payload = headers[headerName]
  if (!payload) return undefined
  const value = defaultPayloadConverter.fromPayload<unknown>(payload)
  return typeof value === 'string' ? value : undefined
}
