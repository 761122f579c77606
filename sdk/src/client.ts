import { type AuditCalls, auditCalls } from './audit.ts'
import { createExportViews, type ExportViews } from './export-views.ts'
import { createFollowJob, type FollowJob } from './follow-job.ts'
import type { GetMeData, Health, Me } from './generated/types.gen.ts'
import { type GithubCalls, githubCalls } from './github.ts'
import { health, type Readiness, readiness } from './health.ts'
import { type IngestViews, ingestViews } from './ingest-views.ts'
import { type InstanceModelCalls, instanceModelCalls } from './instance-models.ts'
import { type InvitationCalls, invitationCalls } from './invitations.ts'
import { type JobCalls, jobCalls } from './jobs.ts'
import { type KeyCalls, keyCalls } from './keys.ts'
import { type MemberCalls, memberCalls } from './members.ts'
import { createCallOperation } from './operation.ts'
import { type ProjectCalls, projectCalls } from './projects.ts'
import { type ReadViews, readViews } from './read-views.ts'
import { type RepositoryCalls, repositoryCalls } from './repository.ts'
import type { CallOptions, Connection } from './request.ts'
import { type RunnerCalls, runnerCalls } from './runners.ts'
import { type SessionCalls, sessionCalls } from './session.ts'
import { type ViewSettingsCalls, viewSettingsCalls } from './view-settings.ts'

export interface ClientOptions {
  /** The URL of the instance, for example `https://colophon.example.com`. A path in it is kept. */
  baseUrl: string
  /** A secret: use it on servers and in CI, never in a browser. */
  apiKey?: string
  /** Defaults to the platform's `fetch`. */
  fetch?: typeof globalThis.fetch
  /** The longest that a call may take, including reading the response. Defaults to 30. */
  timeoutSeconds?: number
}

/** Every call throws a `ColophonError` if it fails. */
export interface Client {
  /** Whether the process is alive. */
  health(options?: CallOptions): Promise<Health>
  /** The state of each component. A server that is not ready yields a result, not an error. */
  readiness(options?: CallOptions): Promise<Readiness>
  /** The project and scopes of the API key. Use it to test a key. */
  me(options?: CallOptions): Promise<Me>
  readonly jobs: JobCalls & {
    /** The agent's events as they happen, until the job is no longer active. Reconnects when the connection is lost. */
    follow: FollowJob
  }
  /** Page views by humans and AI. */
  readonly views: ReadViews &
    IngestViews &
    ViewSettingsCalls & {
      /** All pages of a range as a CSV stream. */
      exportCsv: ExportViews
    }
  /** Sessions of people who sign in; used by the dashboard. */
  readonly session: SessionCalls
  readonly invitations: InvitationCalls
  readonly projects: ProjectCalls
  /** The repository that a project's jobs work on, and how results are published to it. */
  readonly repository: RepositoryCalls
  /** Connects a project to a GitHub repository through the instance's GitHub App. */
  readonly github: GithubCalls
  readonly runners: RunnerCalls
  /** All models of the instance; for operators. */
  readonly models: InstanceModelCalls
  readonly members: MemberCalls
  readonly keys: KeyCalls
  /** Who did what in a project. */
  readonly audit: AuditCalls
}

/** Throws a `TypeError` if the base URL is invalid. */
export function createClient({ baseUrl, apiKey, fetch, timeoutSeconds = 30 }: ClientOptions): Client {
  const connection: Connection = {
    base: parseBaseUrl(baseUrl),
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    fetch: fetch ?? globalThis.fetch,
    timeoutSeconds,
  }
  const call = createCallOperation(connection)
  return {
    health: (options) => health(connection, options),
    readiness: (options) => readiness(connection, options),
    me: (options) => call<GetMeData, Me>('GET', { url: '/v2/me' }, options),
    jobs: { ...jobCalls(call), follow: createFollowJob(connection) },
    views: {
      ...readViews(call),
      ...ingestViews(call),
      ...viewSettingsCalls(call),
      exportCsv: createExportViews(connection),
    },
    session: sessionCalls(call),
    invitations: invitationCalls(call),
    projects: projectCalls(call),
    repository: repositoryCalls(call),
    github: githubCalls(call),
    runners: runnerCalls(call),
    models: instanceModelCalls(call),
    members: memberCalls(call),
    keys: keyCalls(call),
    audit: auditCalls(call),
  }
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // `localhost:8080` parses as a URL with the scheme `localhost`, and fetch rejects a URL that contains a user name.
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      'The base URL must start with http:// or https:// and must not contain a user name or password.',
    )
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, '/')}`)
}
