/**
 * Deletes projects while jobs run and views arrive, kills `worker` with SIGKILL at random points, and takes the code host of some of them
 * down. At the end nothing of the deleted projects is left in PostgreSQL or ClickHouse, and their neighbors have all jobs and views.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../sdk/src/index.ts'
import { timeColumns } from '../server/src/analytics/load/delete-expired-views.ts'
import { createClickhouse } from '../server/src/platform/clickhouse.ts'
import { loadCredentialCommandConfig, loadMigrateConfig } from '../server/src/platform/config.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { createSealer } from '../server/src/platform/sealed-secrets/sealed-secret.ts'
import { deletedTables } from '../server/src/project-deletion/project-tables.ts'
import { type Colophon, prepareColophon } from '../testing/harness/colophon.ts'
import { createFirstOwner } from '../testing/harness/people.ts'
import { operator } from '../testing/harness/test-instance.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'A deleted project is unusable at once, and nothing of it is left, even if worker is killed; its neighbors lose nothing'

const sizes = {
  ci: { projects: 2, jobsEach: 2, viewsEach: 40, kills: 2 },
  stated: { projects: 8, jobsEach: 20, viewsEach: 1_000, kills: 8 },
  full: { projects: 40, jobsEach: 60, viewsEach: 5_000, kills: 60 },
} as const

const name = 'Handbook'
const ownerEmail = 'first@example.com'
const viewsPerRequest = 500

interface Tenant {
  projectId: Id<'prj'>
  key: string
  /** Those on the code host. Undefined: the code host is down. */
  webhooks?: () => Promise<string[]>
}

export async function prove(run: ProofRun): Promise<void> {
  const size = sizes[run.size]
  const colophon = await prepareColophon(run, 'project_deletion')
  const [api, worker] = await Promise.all([colophon.start('api'), colophon.start('worker')])
  const clickhouse = createClickhouse(loadMigrateConfig(colophon.environment).clickhouse)
  run.cleanUp(() => clickhouse.close())
  const owner = await createFirstOwner(api.url, colophon)

  const deleted: Tenant[] = []
  const neighbors: Tenant[] = []
  for (let index = 0; index < size.projects; index++) {
    deleted.push(index % 2 === 0 ? await createWithWebhook(colophon) : await createWithoutHost(colophon))
    neighbors.push(await createWithWebhook(colophon))
  }
  for (const tenant of [...deleted, ...neighbors]) await fill(api.url, tenant, size)
  run.log(`${deleted.length} projects to delete and ${neighbors.length} neighbors, each with jobs and views`)

  const ids = deleted.map(({ projectId }) => projectId)
  for (const projectId of ids)
    await colophon.stores.members.add(projectId, { email: ownerEmail, role: 'owner' }, operator)
  await colophon.pool.query(
    'UPDATE project_member SET person_id = (SELECT id FROM person WHERE email = $1) WHERE email = $1',
    [ownerEmail],
  )

  const lateViews = new LateViews(api.url, deleted)
  const sending = lateViews.send()
  const deletedAtMs = performance.now()
  for (const projectId of ids) await owner.client.projects.delete(projectId, name)
  lateViews.areProjectsDeleted = true
  for (const { projectId, key } of deleted) {
    const asMember = await codeOf(owner.client.projects.get(projectId))
    run.check(asMember === 'not_found', `a member does not find the deleted project (${asMember})`)
    const asKey = await codeOf(createClient({ baseUrl: api.url, apiKey: key }).projects.get(projectId))
    run.check(asKey === 'unauthenticated', `a key of the deleted project is rejected (${asKey})`)
  }

  const countOpen = async () =>
    (await colophon.stores.projectDeletions.list()).filter(({ completedAt }) => completedAt === null).length
  let kills = 0
  while (kills < size.kills) {
    await sleep(200 + run.random() * 1_500)
    await worker.process.kill()
    kills++
    await worker.process.start()
  }
  // As if the code host had been down for longer than the deletion waits for it.
  await colophon.pool.query("UPDATE project_deletion SET requested_at = requested_at - interval '2 hours'")
  const deadlineMs = performance.now() + 120_000
  while ((await countOpen()) > 0 && performance.now() < deadlineMs) await sleep(250)
  run.check((await countOpen()) === 0, 'every deletion is complete')
  run.figure(
    'all deleted after',
    `${((performance.now() - deletedAtMs) / 1000).toFixed(1)} s, with ${kills} kills of worker`,
  )
  lateViews.isStopped = true
  await sending
  run.check(lateViews.accepted === 0, `no view of a deleted project is accepted (${lateViews.accepted})`)
  await sleep(3_000) // what was stored late would be loaded by now

  for (const [table, column] of Object.entries(deletedTables)) {
    const condition = column === 'project_ids' ? `${column} && $1::text[]` : `${column} = ANY ($1::text[])`
    const { rows } = await colophon.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE ${condition}`,
      [ids],
    )
    run.check(rows[0]?.count === 0, `${table} has no row of a deleted project (${rows[0]?.count})`)
  }
  const countViews = async (table: string, projectIds: readonly string[]) => {
    const response = await clickhouse.query({
      query: `SELECT count() AS rows FROM ${table} WHERE project_id IN {ids: Array(String)}`,
      query_params: { ids: projectIds },
      format: 'JSONEachRow',
    })
    return Number((await response.json<{ rows: string }>())[0]?.rows)
  }
  for (const table of Object.keys(timeColumns))
    run.check((await countViews(table, ids)) === 0, `ClickHouse's ${table} has no row of a deleted project`)
  const neighborIds = neighbors.map(({ projectId }) => projectId)
  const views = await countViews('page_view', neighborIds)
  const expectedViews = neighbors.length * size.viewsEach
  run.check(views === expectedViews, `the neighbors have all their views (${views} of ${expectedViews})`)
  const { rows: jobs } = await colophon.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM job WHERE project_id = ANY ($1::text[])',
    [neighborIds],
  )
  const expectedJobs = neighbors.length * size.jobsEach
  run.check(jobs[0]?.count === expectedJobs, `the neighbors have all their jobs (${jobs[0]?.count} of ${expectedJobs})`)
  const entries = await colophon.stores.audit.list('instance', { limit: 1_000, before: undefined })
  for (const { projectId, webhooks } of deleted) {
    const isLeft = entries.some(({ action, subject }) => action === 'project.webhook_left' && subject === projectId)
    run.check(
      isLeft === (webhooks === undefined),
      'the audit log names the webhooks that could not be removed, and no others',
    )
    const left = (await webhooks?.()) ?? []
    run.check(left.length === 0, `the webhook is removed from the code host (${left.join(', ')})`)
  }
  for (const { webhooks } of neighbors)
    run.check((await webhooks?.())?.length === 1, 'the webhook of a neighbor is on the code host')
  run.figure('deleted projects, each with a neighbor', size.projects)
}

async function createWithWebhook(colophon: Colophon): Promise<Tenant> {
  const { projectId, key, repository } = await colophon.connectProject(name)
  const url = `https://colophon.example/v1/webhooks/${projectId}`
  await repository.host.ensureWebhook({ url, secret: 'the secret' })
  return { projectId, key, webhooks: async () => (await repository.webhooks()).filter((each) => each === url) }
}

/** Nothing listens at this address. */
const unreachableHost = 'http://127.0.0.1:9'

async function createWithoutHost(colophon: Colophon): Promise<Tenant> {
  const tenant = await colophon.createProject(name)
  const { stores, environment } = colophon
  const sealer = createSealer(loadCredentialCommandConfig(environment).sealingKeys)
  const credential = { kind: 'code-host-token', secret: 'a token', baseUrl: unreachableHost } as const
  const credentialId = await stores.credentials.put(tenant.projectId, credential, sealer, operator)
  const location = { host: 'gitea', baseUrl: unreachableHost, owner: 'docs', name: 'site' } as const
  const settings = { baseBranch: 'main', docsFolder: '', publishing: {} }
  const access = { access: { kind: 'token', credentialId }, hostRepositoryId: null } as const
  await stores.repositories.connect(tenant.projectId, { ...location, ...settings, ...access }, operator)
  return tenant
}

async function fill(
  apiUrl: string,
  { projectId, key }: Tenant,
  { jobsEach, viewsEach }: { jobsEach: number; viewsEach: number },
): Promise<void> {
  const client = createClient({ baseUrl: apiUrl, apiKey: key })
  for (let sent = 0; sent < viewsEach; sent += viewsPerRequest)
    await client.views.ingest(projectId, { views: createViews(Math.min(viewsPerRequest, viewsEach - sent)) })
  for (let job = 0; job < jobsEach; job++) await client.jobs.create(projectId, { prompt: 'Fix the typo.' })
}

const createViews = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    path: `/page-${index}`,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  }))

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    (error: { code: string }) => error.code,
  )

/** Views that arrive before, during and after the deletion. */
class LateViews {
  areProjectsDeleted = false
  isStopped = false
  /** Of those that were sent after the deletion. */
  accepted = 0
  readonly #clients: { projectId: string; client: Client }[]

  constructor(apiUrl: string, tenants: readonly Tenant[]) {
    this.#clients = tenants.map(({ projectId, key }) => ({
      projectId,
      client: createClient({ baseUrl: apiUrl, apiKey: key }),
    }))
  }

  async send(): Promise<void> {
    while (!this.isStopped) {
      for (const { projectId, client } of this.#clients) {
        const isLate = this.areProjectsDeleted
        const code = await codeOf(client.views.ingest(projectId, { views: createViews(1) }))
        if (isLate && code === 'accepted') this.accepted += 1
      }
      await sleep(20)
    }
  }
}
