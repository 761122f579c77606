/**
 * Everything of a project as files, for an archive. Collections are split into files of about a megabyte, so that the memory that an
 * export needs does not grow with the project. The manifest comes last: without it, the export is incomplete.
 */
import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import type { AuditStore } from '../../audit/audit-store.ts'
import { type AgentEventStore, type EventPosition, positionBeforeAllEvents } from '../../jobs/agent-event-store.ts'
import type { JobStore } from '../../jobs/job-store.ts'
import type { RunnerStore } from '../../jobs/runner-store.ts'
import type { FederatedIdentityStore } from '../../keys/federation/federated-identity-store.ts'
import type { KeyStore } from '../../keys/key-store.ts'
import type { SpendStore } from '../../models/spend-store.ts'
import type { InvitationStore } from '../../people/invitation-store.ts'
import type { MemberStore } from '../../people/member-store.ts'
import type { Id } from '../../platform/ids.ts'
import { version } from '../../platform/version.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import type { RepositoryStore } from '../../projects/repository-store.ts'

export interface ProjectArchiveDeps {
  projects: ProjectStore
  repositories: RepositoryStore
  analyticsSettings: AnalyticsSettingsStore
  members: MemberStore
  invitations: InvitationStore
  keys: KeyStore
  federatedIdentities: FederatedIdentityStore
  runners: RunnerStore
  spend: SpendStore
  jobs: JobStore
  events: AgentEventStore
  audit: AuditStore
}

export interface ArchivedFile {
  name: string
  content: Buffer
}

/** Increased when a reader of the archive has to change. */
const formatVersion = 1
const maxFileBytes = 1024 * 1024
const pageSize = 100
const jobPageSize = 20
const eventRowsPerRead = 50

/** `viewLines`: counts by day and page, as lines of CSV without the header. */
export async function* readProjectArchive(
  deps: ProjectArchiveDeps,
  projectId: Id<'prj'>,
  viewLines: AsyncIterable<string>,
): AsyncGenerator<ArchivedFile> {
  const startedAt = new Date()
  const counts: Record<string, number> = {}
  const split = (name: string, extension: string, lines: AsyncIterable<string>, header = '') =>
    splitIntoFiles({ name, extension, header }, lines, (count) => {
      counts[name] = count
    })

  yield* split('views', 'csv', viewLines, 'day,path,human,assistant,ai_search,ai_training,search,other_bot\r\n')
  yield toJsonFile('project.json', await readProject(deps, projectId))
  yield* split('members', 'ndjson', toLines(readPages((page) => deps.members.list(projectId, page))))
  yield* split('keys', 'ndjson', toLines(readPages((page) => deps.keys.list(projectId, page))))
  yield* split('spend', 'ndjson', toLines(await deps.spend.listDays(projectId)))
  yield* split('jobs', 'ndjson', toLines(readJobs(deps.jobs, projectId)))
  yield* split('events', 'ndjson', toLines(readEvents(deps, projectId)))
  yield* split('audit', 'ndjson', toLines(deps.audit.readAll(projectId)))
  yield toJsonFile('manifest.json', {
    formatVersion,
    projectId,
    colophonVersion: version,
    startedAt,
    completedAt: new Date(),
    counts,
  })
}

/** Without secrets: of the repository, only what people see. */
async function readProject(deps: ProjectArchiveDeps, projectId: Id<'prj'>) {
  const repository = await deps.repositories.find(projectId)
  return {
    ...(await deps.projects.get(projectId)),
    settings: await deps.projects.readSettings(projectId),
    repository: repository && {
      host: repository.host,
      url: repository.baseUrl,
      owner: repository.owner,
      name: repository.name,
      baseBranch: repository.baseBranch,
      docsFolder: repository.docsFolder,
      publishing: repository.publishing,
      rules: repository.rules,
      site: repository.site,
    },
    viewSettings: (await deps.analyticsSettings.read(projectId)).settings,
    siteKeys: await deps.analyticsSettings.listSiteKeys(projectId),
    invitations: await deps.invitations.list(projectId),
    federatedIdentities: await deps.federatedIdentities.list(projectId),
    runners: await deps.runners.listForProject(projectId),
  }
}

async function* readPages<Item extends { id: string }>(
  list: (page: { limit: number; before: string | undefined }) => Promise<Item[]>,
  limit = pageSize,
): AsyncGenerator<Item> {
  for (let before: string | undefined; ; ) {
    const page = await list({ limit, before })
    yield* page
    before = page.at(-1)?.id
    if (page.length < limit) return
  }
}

const listJobs = (jobs: JobStore, projectId: Id<'prj'>) =>
  readPages(
    ({ limit, before }) =>
      jobs.list(projectId, { limit, before, status: undefined, outcome: undefined, search: undefined }),
    jobPageSize,
  )

async function* readJobs(jobs: JobStore, projectId: Id<'prj'>) {
  for await (const job of listJobs(jobs, projectId)) {
    const messages = await readMessages(jobs, projectId, job.id)
    yield { ...job, messages, diff: await jobs.diff(projectId, job.id) }
  }
}

async function readMessages(jobs: JobStore, projectId: Id<'prj'>, jobId: Id<'job'>) {
  const messages: Awaited<ReturnType<JobStore['messages']>> = []
  for (let before: number | undefined; ; ) {
    const page = await jobs.messages(projectId, jobId, { limit: pageSize, before })
    messages.unshift(...page)
    before = page.at(0)?.number
    if (page.length < pageSize) return messages
  }
}

async function* readEvents({ jobs, events }: ProjectArchiveDeps, projectId: Id<'prj'>) {
  for await (const { id: jobId } of listJobs(jobs, projectId)) {
    let after: EventPosition = positionBeforeAllEvents
    for (let hasMore = true; hasMore; ) {
      const page = await events.read({ projectId, jobId, after }, eventRowsPerRead)
      for (const { position, event } of page.events) {
        yield { jobId, position, event }
        after = position
      }
      hasMore = page.hasMore
    }
  }
}

async function* toLines(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`
}

async function* splitIntoFiles(
  { name, extension, header }: { name: string; extension: string; header: string },
  lines: AsyncIterable<string>,
  onEnd: (count: number) => void,
): AsyncGenerator<ArchivedFile> {
  let text: string[] = []
  let sizeBytes = 0
  let files = 0
  let count = 0
  const toFile = (): ArchivedFile => {
    files += 1
    const content = Buffer.from(header + text.join(''))
    text = []
    sizeBytes = 0
    return { name: `${name}/${String(files).padStart(6, '0')}.${extension}`, content }
  }
  for await (const line of lines) {
    text.push(line)
    sizeBytes += line.length
    count += 1
    if (sizeBytes >= maxFileBytes) yield toFile()
  }
  if (text.length > 0) yield toFile()
  onEnd(count)
}

const toJsonFile = (name: string, value: unknown): ArchivedFile => ({
  name,
  content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`),
})
