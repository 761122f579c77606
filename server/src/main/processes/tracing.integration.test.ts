/** A job and a page view, traced through all processes to a collector. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningColophon, startColophon } from '../../../../testing/harness/colophon.ts'
import {
  createGatewayRemoteResolver,
  createPromptScriptExecutor,
  formatScriptPrompt,
} from '../../../../testing/harness/scripted-work.ts'
import { startTestRunner, type TestRunner } from '../../../../testing/harness/test-runner.ts'
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../../../../testing/harness/trace-collector.ts'
import { waitForJob } from '../../../../testing/harness/wait-for-job.ts'

const stops: (() => Promise<unknown>)[] = []
const cleanUp = (stop: () => Promise<unknown>) => void stops.push(stop)
let collector: TraceCollector
let colophon: RunningColophon

beforeAll(async () => {
  collector = await startTraceCollector()
  cleanUp(collector.stop)
  // On a busy machine, the short timers of tests would lose runners and wake jobs, whose spans are not expected here.
  const settings = {
    COLOPHON_TRACES_ENDPOINT: collector.url,
    COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '60',
    COLOPHON_JOB_STALL_SECONDS: '60',
  }
  colophon = await startColophon({ cleanUp }, 'tracing', { addresses: inject('services'), settings })
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function startScriptRunner(): Promise<TestRunner> {
  const { url } = colophon.worker
  const execute = createPromptScriptExecutor(createGatewayRemoteResolver(url))
  return startTestRunner(url, await colophon.createRunnerToken(), execute)
}
const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId)
const parentOf = ({ parentSpanId }: CollectedSpan) => collector.spans.find(({ spanId }) => spanId === parentSpanId)

test('a job is one trace, from the request to the pull request', async () => {
  const project = await colophon.connectProject('A-secret-project')
  const runner = await startScriptRunner()
  const prompt = formatScriptPrompt({ repository: 'docs', write: { 'docs/a-secret-page.md': '# A secret text\n' } })
  const { id } = await project.client.jobs.create(project.projectId, { prompt })
  const job = await waitForJob(project, id)
  expect(job).toMatchObject({ status: 'completed', outcome: 'pull_request' })
  await runner.stop()

  // The workflow ends with it.
  const isLast = ({ name, attributes }: CollectedSpan) =>
    name === 'takeNextTurn' && attributes['colophon.job_id'] === id
  const { traceId } = await collector.waitFor(isLast)
  await expect.poll(() => ofTrace(traceId).filter(isLast).length).toBeGreaterThanOrEqual(2)
  const ownSpans = ofTrace(traceId)
  const named = (name: string) => {
    const [span] = ownSpans.filter((each) => each.name === name)
    expect(span, name).toBeDefined()
    return span as CollectedSpan
  }

  const request = named('POST /v2/agent/:projectId/job')
  expect(request).toMatchObject({ service: 'colophon-api', parentSpanId: null })
  expect(request.attributes).toMatchObject({
    'colophon.project_id': project.projectId,
    'http.response.status_code': 201,
  })
  expect(parentOf(named('start runAgentJob'))).toBe(request)
  expect(named('start runAgentJob').attributes['colophon.job_id']).toBe(id)
  const performTurn = named('performTurn')
  expect(performTurn).toMatchObject({ service: 'colophon-worker', isError: false })
  expect(parentOf(performTurn)).toBe(named('start runAgentJob'))
  for (const name of ['wait for a runner', 'attempt', 'GET /git/info/refs', 'POST /runner/result'])
    expect(parentOf(named(name)), name).toBe(performTurn)
  expect(named('attempt').attributes).toMatchObject({ 'colophon.attempt.result': 'result', 'colophon.attempt': 1 })
  expect(named('attempt').startMs).toBeGreaterThanOrEqual(named('wait for a runner').endMs - 1)
  for (const name of ['fetch repository', 'check result', 'push commit', 'open pull request'])
    expect(parentOf(named(name)), name).toBe(named('publishTurn'))
  expect(named('open pull request').attributes).toEqual({ 'colophon.code_host': 'gitea' })
  expect(ownSpans.filter(({ isError }) => isError)).toEqual([])

  const log = readFileSync(join(colophon.directory, 'api.log'), 'utf8')
  const line = log.split('\n').find((each) => each.includes(String(request.attributes['colophon.request_id'])))
  expect(line, 'the trace is found from the log').toContain(traceId)
})

test('a follow-up is a trace of its own, in the same workflow', async () => {
  const project = await colophon.connectProject('Follow-up')
  const runner = await startScriptRunner()
  const prompt = formatScriptPrompt({ repository: 'docs' })
  const { id } = await project.client.jobs.create(project.projectId, { prompt })
  await waitForJob(project, id)
  await project.client.jobs.sendMessage(project.projectId, id, { prompt })
  await waitForJob(project, id)
  await runner.stop()

  const ofJob = (name: string) => (span: CollectedSpan) =>
    span.name === name && span.attributes['colophon.job_id'] === id
  const followUp = await collector.waitFor(ofJob('signal runAgentJob'))
  expect(parentOf(followUp)?.name).toBe('POST /v2/agent/:projectId/job/:id/message')
  await expect.poll(() => collector.spans.filter(ofJob('publishTurn')).length).toBeGreaterThanOrEqual(2)
  const ownTurns = collector.spans.filter(ofJob('performTurn'))
  expect(ownTurns.map(({ traceId }) => traceId === followUp.traceId)).toEqual([false, true])
})

test('page views are traced when they arrive and when they are loaded', async () => {
  const { client, projectId } = await colophon.connectProject('Views')
  const path = '/docs/a-secret-path'
  await client.views.ingest(projectId, { views: [{ path, userAgent: 'ChatGPT-User/1.0' }] })
  await collector.waitFor(({ name }) => name === 'POST /v1/ingest/:projectId/views')
  const load = await collector.waitFor(({ name }) => name === 'load views')
  expect(load).toMatchObject({ service: 'colophon-worker', parentSpanId: null, isError: false })
  expect(load.attributes['colophon.views']).toBe(1)
})

test('no text, name, path, address or key is in a trace', () => {
  const received = collector.readReceivedText()
  expect(received).toContain('runAgentJob')
  expect(received).not.toMatch(/a.secret/i)
  expect(received).not.toMatch(/colophon_[a-z]+_[0-9a-z]{12}|127\.0\.0\.1|localhost|\/tmp\//)
})
