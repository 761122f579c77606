import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { version } from '../version.ts'
import { type MetricDefinition, metricCatalog, type NamedProcess } from './catalog.ts'
import { countMetric, isRecording, observeMetric, sampleBeforeScrapes, setMetric } from './metrics.ts'
import { type MetricsServer, startMetrics } from './metrics-server.ts'

const log = createLog('test', { level: 'error' })
const listen = { host: '127.0.0.1', port: 0 }
let server: MetricsServer | undefined

const start = async (process: NamedProcess, { projectLabels = false } = {}) => {
  server = await startMetrics({ listen, projectLabels }, process, log)
  return server
}
const scrape = async () => (await fetch(`http://127.0.0.1:${server?.port}/metrics`)).text()
const valuesOf = (text: string, name: string) =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))

beforeEach(() => {
  server = undefined
})
afterEach(() => server?.stop())

test('records nothing until it is turned on', () => {
  expect(isRecording()).toBe(false)
  countMetric('colophon_background_failures_total', {})
})

test('serves the metrics of the process, with every counter at 0', async () => {
  await start('worker')
  const text = await scrape()
  expect(valuesOf(text, 'colophon_process_info')).toEqual([
    `colophon_process_info{process="worker",version="${version}"} 1`,
  ])
  const expected = Object.entries<MetricDefinition>(metricCatalog)
    .filter(([, { type, processes }]) => type === 'counter' && processes.includes('worker'))
    .map(([name]) => name)
  expect(expected.length).toBeGreaterThan(10)
  expect(expected.filter((name) => valuesOf(text, name).length === 0)).toEqual([])
  expect(valuesOf(text, 'colophon_runner_claim_failures_total'), 'of another process').toEqual([])
  expect(valuesOf(text, 'colophon_publish_failures_total')).toHaveLength(2 * 13)
  expect(valuesOf(text, 'colophon_process_memory_bytes')).toHaveLength(3)
})

test('adds, sets and observes', async () => {
  await start('serve')
  countMetric('colophon_view_events_total', { source: 'script', outcome: 'counted' }, { by: 2 })
  countMetric('colophon_view_events_total', { source: 'script', outcome: 'counted' })
  setMetric('colophon_attempts', { state: 'waiting' }, 7)
  setMetric('colophon_attempts', { state: 'waiting' }, Number.NaN)
  observeMetric('colophon_attempt_queue_wait_seconds', {}, 3)
  const endSampling = sampleBeforeScrapes(() => setMetric('colophon_webhook_deliveries_waiting', {}, 4))
  const text = await scrape()
  endSampling()
  expect(text).toContain('colophon_view_events_total{source="script",outcome="counted"} 3\n')
  expect(text).toContain('colophon_attempts{state="waiting"} NaN\n')
  expect(text).toContain('colophon_attempt_queue_wait_seconds_bucket{le="2.5"} 0\n')
  expect(text).toContain('colophon_attempt_queue_wait_seconds_bucket{le="5"} 1\n')
  expect(text).toContain('colophon_webhook_deliveries_waiting 4\n')
})

test('the project is a label only if the operator turned that on', async () => {
  const record = () => {
    for (let number = 0; number < 3_000; number++)
      countMetric('colophon_work_accepted_total', { kind: 'job' }, { projectId: `prj_${number}` })
  }
  await start('api')
  record()
  const text = await scrape()
  expect(text).not.toContain('prj_')
  expect(valuesOf(text, 'colophon_work_accepted_total')).toEqual([
    'colophon_work_accepted_total{kind="job"} 3000',
    'colophon_work_accepted_total{kind="message"} 0',
  ])
  await server?.stop()
  await start('api', { projectLabels: true })
  record()
  const series = valuesOf(await scrape(), 'colophon_work_accepted_total')
  expect(series).toContain('colophon_work_accepted_total{kind="job",project="prj_2999"} 1')
  expect(series).toHaveLength(3_002)
})

test('serves nothing else', async () => {
  const { port } = await start('api')
  const request = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method })
  expect((await request('/')).status).toBe(404)
  expect((await request('/metrics', 'POST')).status).toBe(405)
  expect((await request('/metrics?debug=1')).status).toBe(200)
})

test('a silent client does not delay the shutdown', async () => {
  const { port } = await start('api')
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  client.write('GET /metrics HTTP/1.1\r\n')
  await sleep(100)
  const startedAt = performance.now()
  await server?.stop()
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  expect(isRecording()).toBe(false)
  client.destroy()
})

test('an address in use is an error at the start', async () => {
  const { port } = await start('api')
  await expect(startMetrics({ listen: { host: '127.0.0.1', port }, projectLabels: false }, 'api', log)).rejects.toThrow(
    'EADDRINUSE',
  )
})
