import { afterAll, expect, inject, test, vi } from 'vitest'
import { createClaimedTurn } from '../../../testing/harness/claimed-turn.ts'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import type { TurnOutcome } from '../jobs/turn-store.ts'
import { loadSealingPrivateKeys } from '../platform/config.ts'
import { type Id, isId } from '../platform/ids.ts'
import { createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { eventTypes } from './endpoint.ts'

const instance = await createTestInstance(inject('services'), 'webhook events')
afterAll(() => instance.drop())
await instance.addModel()

const { stores, pool } = instance
const sealer = createSealer(loadSealingPrivateKeys(instance.environment))

const completed: TurnOutcome = {
  outcome: 'no_changes',
  reply: 'Done.',
  title: 'A title of the agent',
  checks: [],
  pullRequest: null,
}

const opened = {
  url: 'https://git.example.com/docs/site/pulls/7',
  number: 7,
  branch: 'colophon/7',
  state: 'open',
  written: { title: 't', body: 'b' },
  commit: 'c0ffee',
} as const

async function createSubscribedProject(events: readonly (typeof eventTypes)[number][] = eventTypes) {
  const { projectId } = await instance.createProject()
  const endpoint = await stores.endpoints.create(
    projectId,
    {
      kind: 'webhook',
      name: 'all',
      target: 'https://a.example/',
      events,
      maxPerSecond: undefined,
      secret: 'whsec_AA==',
    },
    sealer,
    operator,
  )
  return { projectId, endpointId: endpoint.id }
}

const startJob = (projectId: Id<'prj'>) => createClaimedTurn(instance, projectId, 'test-model')

async function readEvents(projectId: Id<'prj'>) {
  const { rows } = await pool.query<{
    id: string
    type: string
    data: { job: Record<string, unknown> }
    order_key: string
  }>(
    `SELECT webhook_event.id, type, data, order_key FROM webhook_event JOIN endpoint_delivery ON event_id = webhook_event.id
     WHERE webhook_event.project_id = $1 ORDER BY sequence`,
    [projectId],
  )
  return rows
}
const readTypes = async (projectId: Id<'prj'>) => (await readEvents(projectId)).map(({ type }) => type)

test('a job that ends is an event with its final state, in the transaction that ends it', async () => {
  const { projectId } = await createSubscribedProject()
  const { jobId, turnId } = await startJob(projectId)
  expect(await readTypes(projectId)).toEqual([])
  await stores.turns.finish(turnId, completed)
  const [event, ...others] = await readEvents(projectId)
  expect(others).toEqual([])
  expect(event).toMatchObject({
    type: 'job.completed',
    order_key: jobId,
    data: { projectId, job: { id: jobId, status: 'completed', outcome: 'no_changes', title: 'A title of the agent' } },
  })
  expect(isId('evt', event?.id ?? '')).toBe(true)
})

test('a repeated step records nothing again', async () => {
  const { projectId } = await createSubscribedProject()
  const { turnId } = await startJob(projectId)
  await stores.turns.finish(turnId, completed)
  await stores.turns.finish(turnId, completed)
  await stores.turns.fail(turnId, { code: 'internal_error', message: 'late' })
  expect(await readTypes(projectId)).toEqual(['job.completed'])
})

test('a failed job has its error, and a cancelled one has none', async () => {
  const { projectId } = await createSubscribedProject()
  const failed = await startJob(projectId)
  await stores.turns.fail(failed.turnId, { code: 'agent_failed', message: 'The agent failed.' })
  const cancelled = await startJob(projectId)
  await stores.jobs.cancel(projectId, cancelled.jobId, operator)
  await stores.turns.fail(cancelled.turnId, { code: 'cancelled', message: '' })
  expect((await readEvents(projectId)).map(({ type, data }) => ({ type, ...data.job }))).toMatchObject([
    { type: 'job.failed', outcome: 'error', error: { code: 'agent_failed', message: 'The agent failed.' } },
    { type: 'job.failed', outcome: 'cancelled', error: null },
  ])
})

test('a job that is archived by a person, or because it is idle, is an event once', async () => {
  const { projectId } = await createSubscribedProject(['job.archived'])
  const first = await startJob(projectId)
  await stores.turns.finish(first.turnId, completed)
  await stores.jobs.archive(projectId, first.jobId, operator)
  await stores.jobs.archive(projectId, first.jobId, operator)
  const idle = await startJob(projectId)
  await stores.turns.finish(idle.turnId, completed)
  await pool.query(`UPDATE job SET updated_at = now() - interval '40 days' WHERE id = $1`, [idle.jobId])
  await stores.turns.archiveIdle(30, 10)
  expect((await readEvents(projectId)).map(({ data }) => data.job.id)).toEqual([first.jobId, idle.jobId])
})

test('a result that awaits approval is an event, and its rejection completes the job', async () => {
  const { projectId } = await createSubscribedProject()
  const { jobId, turnId } = await startJob(projectId)
  await pool.query(
    `INSERT INTO turn_result (turn_id, project_id, base_commit, checks) VALUES ($1, $2, repeat('a', 40), '[]')`,
    [turnId, projectId],
  )
  const held = { diff: 'd', isDiffComplete: true, reasons: [], newHosts: [] }
  await stores.turns.finish(turnId, { ...completed, outcome: 'awaiting_approval', held })
  const { approval } = await stores.jobs.get(projectId, jobId)
  await stores.approvals.reject(projectId, jobId, approval?.diffSha256 ?? '', operator)
  expect((await readEvents(projectId)).map(({ type, data }) => [type, data.job.outcome])).toEqual([
    ['job.awaiting_approval', 'awaiting_approval'],
    ['job.completed', 'rejected'],
  ])
})

test('a pull request is an event when it is opened, merged, closed and opened again', async () => {
  const { projectId } = await createSubscribedProject()
  const { jobId, turnId } = await startJob(projectId)
  await stores.turns.finish(turnId, { ...completed, outcome: 'pull_request', pullRequest: opened })
  const pullRequest = { projectId, jobId, number: 7 }
  for (const state of ['open', 'closed', 'closed', 'open', 'merged'] as const)
    await stores.pullRequests.recordState(pullRequest, { state, hasConflicts: null })
  const events = await readEvents(projectId)
  expect(events.map(({ type }) => type)).toEqual([
    'job.completed',
    'job.pull_request.opened',
    'job.pull_request.closed',
    'job.pull_request.opened',
    'job.pull_request.merged',
  ])
  expect(events[0]?.data.job.pullRequest).toEqual({ number: 7, url: opened.url, branch: 'colophon/7', state: 'open' })
})

test('endpoints get only what they subscribed to, and nothing while they are disabled', async () => {
  const { projectId, endpointId } = await createSubscribedProject(['job.failed'])
  const first = await startJob(projectId)
  await stores.turns.finish(first.turnId, completed)
  await stores.endpoints.change(projectId, endpointId, { isEnabled: false }, operator)
  const second = await startJob(projectId)
  await stores.turns.fail(second.turnId, { code: 'agent_failed', message: 'x' })
  expect(await readTypes(projectId)).toEqual([])
  const { rows } = await pool.query('SELECT FROM webhook_event WHERE project_id = $1', [projectId])
  expect(rows).toEqual([])
})

test('an endpoint that is deleted while a job ends does not fail the job', async () => {
  const { projectId, endpointId } = await createSubscribedProject()
  const { jobId, turnId } = await startJob(projectId)
  const deleting = await pool.connect()
  try {
    await deleting.query('BEGIN')
    await deleting.query('DELETE FROM webhook_endpoint WHERE id = $1', [endpointId])
    const finished = stores.turns.finish(turnId, completed)
    await vi.waitFor(async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      expect(rows.length).toBeGreaterThan(0)
    })
    await deleting.query('COMMIT')
    await finished
  } finally {
    deleting.release()
  }
  expect((await stores.jobs.get(projectId, jobId)).status).toBe('completed')
})

test('deleting a job deletes its events', async () => {
  const { projectId } = await createSubscribedProject()
  const { jobId, turnId } = await startJob(projectId)
  await stores.turns.finish(turnId, completed)
  await pool.query('DELETE FROM job WHERE id = $1', [jobId])
  expect(await readTypes(projectId)).toEqual([])
})

test('of budget notices that are recorded together, the highest is an event of the project', async () => {
  const { projectId } = await createSubscribedProject()
  await pool.query(
    `INSERT INTO budget_notice (scope, month, percent, unit, used, max)
     SELECT scope, '2026-11-01', percent, 'usd', 8.5, 10 FROM unnest(ARRAY[$1, 'instance']) AS scope, unnest(ARRAY[50, 80]) AS percent`,
    [projectId],
  )
  expect(await readEvents(projectId)).toMatchObject([
    {
      type: 'budget.threshold',
      data: { projectId, budget: { month: '2026-11', percent: 80, unit: 'usd', used: 8.5, max: 10 } },
    },
  ])
})

test('a runner that was heard from and is silent is an event, once per silence', async () => {
  const { projectId } = await createSubscribedProject()
  const other = await createSubscribedProject()
  const silence = (name: string, minutes: number) =>
    pool.query('UPDATE runner SET last_seen_at = now() - make_interval(mins => $2) WHERE name = $1', [name, minutes])
  await instance.createRunnerToken([projectId], 'own')
  await instance.createRunnerToken(undefined, 'shared')
  await instance.createRunnerToken([projectId], 'never connected')
  await silence('own', 2)
  await stores.runners.reportOffline()
  expect(await readTypes(projectId)).toEqual([])
  await silence('own', 6)
  await stores.runners.reportOffline()
  await stores.runners.reportOffline()
  expect(await readEvents(projectId)).toMatchObject([
    { type: 'runner.offline', data: { runner: { name: 'own', isShared: false } } },
  ])
  expect(await readTypes(other.projectId)).toEqual([])
  await pool.query(
    `UPDATE runner SET last_seen_at = now(), offline_reported_at = now() - interval '1 hour' WHERE name = 'own'`,
  )
  await stores.runners.reportOffline()
  expect(await readTypes(projectId)).toHaveLength(1)
  await pool.query(
    `UPDATE runner SET last_seen_at = now() - interval '6 minutes', offline_reported_at = now() - interval '1 hour' WHERE name = 'own'`,
  )
  await silence('shared', 10)
  await stores.runners.reportOffline()
  expect(await readTypes(projectId)).toHaveLength(3)
  expect(await readEvents(other.projectId)).toMatchObject([{ data: { runner: { name: 'shared', isShared: true } } }])
})
