import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startTraceCollector, type TraceCollector } from '../../../../testing/harness/trace-collector.ts'
import { Problem } from '../http/problem.ts'
import { newId } from '../ids.ts'
import { createLog } from '../log.ts'
import { toIdAttribute } from './id-attribute.ts'
import { currentTraceId, currentTraceparent, recordSpan, withSpan } from './spans.ts'
import { startTracing, type Tracing } from './start-tracing.ts'

const log = createLog('test', { level: 'error' })
const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const start = async ({ samplePercent = 100, headers = {} } = {}): Promise<TraceCollector & { tracing: Tracing }> => {
  const collector = await startTraceCollector()
  const tracing = startTracing({ endpoint: collector.url, headers, samplePercent }, 'worker', log)
  stops.push(collector.stop, tracing.stop)
  return { ...collector, tracing }
}
const named = ({ spans }: TraceCollector, name: string) => spans.find((span) => span.name === name)

test('records nothing until it is started', async () => {
  await withSpan('outer', {}, async () => {
    expect(currentTraceparent()).toBeUndefined()
    expect(currentTraceId()).toBeUndefined()
  })
})

test('sends spans with their parents, over an await', async () => {
  const collector = await start({ headers: { authorization: 'Bearer abc' } })
  let traceId: string | undefined
  await withSpan('outer', { attributes: { 'colophon.attempt': 2 } }, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    traceId = currentTraceId()
    await withSpan('inner', {}, async () => {})
  })
  await collector.tracing.stop()
  const outer = named(collector, 'outer')
  expect(outer).toMatchObject({ service: 'colophon-worker', parentSpanId: null, isError: false, traceId })
  expect(outer?.attributes).toEqual({ 'colophon.attempt': 2 })
  expect(named(collector, 'inner')).toMatchObject({ parentSpanId: outer?.spanId, traceId })
  expect(collector.headers[0]?.authorization).toBe('Bearer abc')
})

test('continues a trace in another process', async () => {
  const collector = await start()
  let traceparent: string | undefined
  await withSpan('first', {}, async () => {
    traceparent = currentTraceparent()
  })
  await withSpan('second', { parent: traceparent }, async () => {})
  recordSpan('over', { parent: traceparent, startedAt: new Date(1_000), endedAt: new Date(3_500) })
  await withSpan('outer', {}, () => withSpan('separate', { parent: null }, async () => {}))
  await collector.tracing.stop()
  const first = named(collector, 'first')
  expect(named(collector, 'second')).toMatchObject({ traceId: first?.traceId, parentSpanId: first?.spanId })
  expect(named(collector, 'over')).toMatchObject({ traceId: first?.traceId, startMs: 1_000, endMs: 3_500 })
  expect(named(collector, 'separate')).toMatchObject({ parentSpanId: null })
})

test('of an error, only the code is sent', async () => {
  const collector = await start()
  const secret = 'a sentence with a password'
  const errors = { problem: new Problem('not_found', secret), plain: new TypeError(secret), text: secret }
  for (const [name, error] of Object.entries(errors))
    await expect(withSpan(name, {}, () => Promise.reject(error))).rejects.toBe(error)
  await expect(withSpan('expected', { isFailure: () => false }, () => Promise.reject(secret))).rejects.toBe(secret)
  await collector.tracing.stop()
  expect(collector.spans.map(({ name, isError, attributes }) => [name, isError, attributes['error.type']])).toEqual([
    ['problem', true, 'not_found'],
    ['plain', true, 'TypeError'],
    ['text', true, 'unknown'],
    ['expected', false, undefined],
  ])
  expect(collector.readReceivedText()).not.toContain('password')
})

test('a trace that is not sampled stays so in other processes', async () => {
  const collector = await start({ samplePercent: 0 })
  let traceparent: string | undefined
  await withSpan('first', {}, async () => {
    traceparent = currentTraceparent()
  })
  expect(traceparent).toMatch(/-00$/)
  await withSpan('second', { parent: traceparent }, async () => {})
  await collector.tracing.stop()
  expect(collector.spans).toEqual([])
})

test('a collector that never responds delays neither work nor the stop for long', async () => {
  const silent: Server = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const tracing = startTracing({ endpoint, headers: {}, samplePercent: 100 }, 'api', log)
  const startedAtMs = performance.now()
  for (let index = 0; index < 20_000; index += 1) await withSpan('work', {}, async () => {})
  expect(performance.now() - startedAtMs).toBeLessThan(5_000)
  const stoppedAtMs = performance.now()
  await tracing.stop()
  expect(performance.now() - stoppedAtMs).toBeLessThan(7_000)
  silent.close()
}, 20_000)

test('only IDs become attributes', () => {
  const id = newId('job')
  expect(toIdAttribute(id)).toEqual({ 'colophon.job_id': id })
  expect(toIdAttribute(newId('psk'))).toEqual({})
  expect(toIdAttribute('job_with a prompt')).toEqual({})
  expect(toIdAttribute(7)).toEqual({})
})
