import { expect, inject, onTestFinished, test } from 'vitest'
import { createClient } from '../../../sdk/src/index.ts'
import { runCommand } from '../../services/run-command.ts'
import { prepareColophon } from '../colophon.ts'
import { openOwnPool, startOwnPostgres } from '../own-postgres.ts'
import { createGatewayRemoteResolver, createPromptScriptExecutor, formatScriptPrompt } from '../scripted-work.ts'
import { startTestRunner } from '../test-runner.ts'
import { waitForJob } from '../wait-for-job.ts'
import { canSkewClock, clockSkewEnvironment } from './clock-skew.ts'

const cleanUp = (stop: () => Promise<unknown>) => onTestFinished(async () => void (await stop()))
const skipReason = 'needs libfaketime'
const aheadSeconds = 600

test.for([aheadSeconds, -aheadSeconds])(
  'Node with a clock off by %i s has correct timers',
  async (skewSeconds, { skip }) => {
    skip(!(await canSkewClock()), skipReason)
    const script = `const startedAtMs = performance.now()
    setTimeout(() => console.log(JSON.stringify({ nowMs: Date.now(), tookMs: performance.now() - startedAtMs })), 200)`
    const env = { PATH: process.env.PATH, ...(await clockSkewEnvironment({ skewSeconds })) }
    const { nowMs, tookMs } = JSON.parse(await runCommand([process.execPath, '--eval', script], { env }))
    expect(Math.abs(nowMs - Date.now() - skewSeconds * 1000)).toBeLessThan(60_000)
    expect(tookMs).toBeGreaterThanOrEqual(199)
    expect(tookMs).toBeLessThan(60_000)
  },
)

test('PostgreSQL with a clock that is behind', async ({ skip }) => {
  skip(!(await canSkewClock()), skipReason)
  const postgres = await startOwnPostgres(
    { cleanUp },
    { env: await clockSkewEnvironment({ skewSeconds: -aheadSeconds }) },
  )
  const pool = openOwnPool(postgres)
  cleanUp(() => pool.end())
  const { rows } = await pool.query<{ now: Date }>('SELECT now()')
  expect(Math.abs(Date.now() - aheadSeconds * 1000 - Number(rows[0]?.now))).toBeLessThan(60_000)
  await pool.query('SET statement_timeout = 200')
  await expect(pool.query('SELECT pg_sleep(30)')).rejects.toThrow('statement timeout')
})

test('Colophon with a clock that is ahead runs a job', async ({ skip }) => {
  skip(!(await canSkewClock()), skipReason)
  const colophon = await prepareColophon({ cleanUp }, 'skewed', { addresses: inject('services') })
  const skew = {
    ...(await clockSkewEnvironment({ skewSeconds: aheadSeconds })),
    COLOPHON_JOB_DEADLINE_SECONDS: '3600', // longer than the skew
  }
  const [api, worker] = await Promise.all([colophon.start('api', skew), colophon.start('worker', skew)])
  const response = await fetch(`${api.url}/healthz`)
  expect(Date.parse(response.headers.get('date') ?? '') - Date.now()).toBeGreaterThan(aheadSeconds * 1000 - 60_000)

  const project = await colophon.connectProject('Docs')
  const client = createClient({ baseUrl: api.url, apiKey: project.key })
  const runner = startTestRunner(
    worker.url,
    await colophon.createRunnerToken(),
    createPromptScriptExecutor(createGatewayRemoteResolver(worker.url)),
  )
  cleanUp(runner.stop)
  const prompt = formatScriptPrompt({ repository: 'docs', write: { 'docs/page.md': '# Page\n' } })
  const { id } = await client.jobs.create(project.projectId, { prompt })
  expect(await waitForJob({ client, projectId: project.projectId }, id)).toMatchObject({ status: 'completed' })
})
