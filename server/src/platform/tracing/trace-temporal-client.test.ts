import type { WorkflowSignalWithStartInput } from '@temporalio/client'
import type { Headers } from '@temporalio/common'
import { afterEach, expect, test } from 'vitest'
import { startTraceCollector, type TraceCollector } from '../../../../testing/harness/trace-collector.ts'
import { newId } from '../ids.ts'
import { createLog } from '../log.ts'
import { withSpan } from './spans.ts'
import { startTracing, type Tracing } from './start-tracing.ts'
import { readTraceHeader } from './temporal-headers.ts'
import { traceTemporalClient } from './trace-temporal-client.ts'

let collector: TraceCollector
let tracing: Tracing
afterEach(() => collector.stop())

/** Signals a job, and returns the headers that Temporal gets. */
async function signal(): Promise<Headers> {
  let sent: Headers = {}
  const options = { workflowId: newId('job') }
  const input = { workflowType: 'runAgentJob', options, headers: {} } as unknown as WorkflowSignalWithStartInput
  await traceTemporalClient.signalWithStart?.(input, async ({ headers }) => {
    sent = headers
    return 'run'
  })
  return sent
}

test('a signal belongs to the request that sends it, and passes its trace on', async () => {
  collector = await startTraceCollector()
  tracing = startTracing(
    { endpoint: collector.url, headers: {}, samplePercent: 100 },
    'api',
    createLog('test', { level: 'error' }),
  )
  const headers = await withSpan('request', {}, signal)
  await tracing.stop()
  const request = collector.spans.find(({ name }) => name === 'request')
  expect(collector.spans.find(({ name }) => name === 'signal runAgentJob')).toMatchObject({
    parentSpanId: request?.spanId,
  })
  expect(readTraceHeader(headers)).toContain(request?.traceId)
})

test('what the process signals by itself leaves the workflow in its trace', async () => {
  collector = await startTraceCollector()
  tracing = startTracing(
    { endpoint: collector.url, headers: {}, samplePercent: 100 },
    'worker',
    createLog('test', { level: 'error' }),
  )
  expect(await signal()).toEqual({})
  await tracing.stop()
  expect(collector.spans).toEqual([])
})
