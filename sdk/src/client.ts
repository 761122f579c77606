import { type AuditCalls, createAuditCalls } from './audit.ts'
import { createExportProjectCall, type ExportProjectCall } from './export-project.ts'
import { createExportViewsCall, type ExportViewsCall } from './export-views.ts'
import { createFederationCalls, type FederationCalls } from './federation.ts'
import { createFollowJobCall, type FollowJobCall } from './follow-job.ts'
import type { GetMeData, Health, Me } from './generated/types.gen.ts'
import { createGithubCalls, type GithubCalls } from './github.ts'
import { type Readiness, requestHealth, requestReadiness } from './health.ts'
import { createViewIngestCalls, type ViewIngestCalls } from './ingest-views.ts'
import { createInstanceCalls, type InstanceCalls } from './instance.ts'
import { createInstanceModelCalls, type InstanceModelCalls } from './instance-models.ts'
import { createInvitationCalls, type InvitationCalls } from './invitations.ts'
import { createJobCalls, type JobCalls } from './jobs.ts'
import { createKeyCalls, type KeyCalls } from './keys.ts'
import { createMemberCalls, type MemberCalls } from './members.ts'
import { createOperationCaller } from './operation.ts'
import { createPeopleCalls, type PeopleCalls } from './people.ts'
import { createProjectCalls, type ProjectCalls } from './projects.ts'
import { createViewReadCalls, type ViewReadCalls } from './read-views.ts'
import { createRepositoryCalls, type RepositoryCalls } from './repository.ts'
import type { CallOptions, ConnectionSettings } from './request.ts'
import { defaultRetryLimits, type RetryOptions, toRetryLimits } from './retry.ts'
import { createRunnerCalls, type RunnerCalls } from './runners.ts'
import { createSessionCalls, type SessionCalls } from './session.ts'
import { createSpendCalls, type SpendCalls } from './spend.ts'
import { createViewSettingsCalls, type ViewSettingsCalls } from './view-settings.ts'
import { createJobWaitCalls, type JobWaitCalls } from './wait-for-job.ts'
import { createWebhookCalls, type WebhookCalls } from './webhooks.ts'

export interface ClientOptions {
  /** The URL of the instance, for example `https://colophon.example.com`. A path in it is kept. */
  baseUrl: string
  /** A secret: use it on servers and in CI, never in a browser. */
  apiKey?: string | undefined
  /** Defaults to the platform's `fetch`. */
  fetch?: typeof globalThis.fetch
  /** The longest that one attempt of a call may take, including reading the response. Defaults to 30. */
  timeoutSeconds?: number
  /** Limits of automatic retries, or false for none. */
  retry?: RetryOptions | false
}

/** Every call throws a `ColophonError` if it fails. */
export interface Client {
  /**
   * Whether the process is alive. Not retried, because it reports the current state.
   * @example
   * const { version } = await client.health()
   */
  health(options?: CallOptions): Promise<Health>
  /**
   * The state of each component. A server that is not ready yields a result, not an error. Not retried, because it reports the
   * current state.
   * @example
   * const { status, components } = await client.readiness()
   */
  readiness(options?: CallOptions): Promise<Readiness>
  /**
   * The project and scopes of the API key. Use it to test a key.
   * @example
   * const { projectId, scopes } = await client.me()
   */
  me(options?: CallOptions): Promise<Me>
  readonly jobs: JobCalls &
    JobWaitCalls & {
      /**
       * The agent's events as they happen, until the job is no longer active. Reconnects when the connection is lost, without
       * losing or repeating an event.
       * @example
       * for await (const event of client.jobs.follow(projectId, jobId)) console.log(event.type, event.text ?? event.tool ?? '')
       */
      follow: FollowJobCall
    }
  /** Page views by humans and AI. */
  readonly views: ViewReadCalls &
    ViewIngestCalls &
    ViewSettingsCalls & {
      /**
       * All pages of a range as a CSV stream.
       * @example
       * const csv = await new Response(await client.views.exportCsv(projectId, { dateFrom: '2026-11-01' })).text()
       */
      exportCsv: ExportViewsCall
    }
  /** Sessions of people who sign in; used by the dashboard. */
  readonly session: SessionCalls
  readonly invitations: InvitationCalls
  readonly projects: ProjectCalls & {
    /**
     * Everything of a project as a `.tar.gz` stream.
     * @example
     * const archive = await new Response(await client.projects.export(projectId)).arrayBuffer()
     */
    export: ExportProjectCall
  }
  /** The repository that a project's jobs work on, and how results are published to it. */
  readonly repository: RepositoryCalls
  /** Connects a project to a GitHub repository through the instance's GitHub App. */
  readonly github: GithubCalls
  readonly runners: RunnerCalls
  /** Endpoints that receive events of a project, and what was delivered to them. */
  readonly webhooks: WebhookCalls
  /** All models of the instance; for operators. */
  readonly models: InstanceModelCalls
  /** What model calls used, by day, model and project. */
  readonly spend: SpendCalls
  /** The state of the instance; for operators. */
  readonly instance: InstanceCalls
  readonly members: MemberCalls
  /** The people of the instance; for operators. */
  readonly people: PeopleCalls
  readonly keys: KeyCalls
  /** CI runs that can exchange their ID tokens for short-lived API keys. */
  readonly federation: FederationCalls
  /** Who did what in a project. */
  readonly audit: AuditCalls
}

/**
 * Creates a client of one instance. Throws a `TypeError` if the base URL or the API key is invalid.
 * @example
 * const client = createClient({ baseUrl: 'https://colophon.example.com', apiKey })
 */
export function createClient({ baseUrl, apiKey, fetch, timeoutSeconds = 30, retry }: ClientOptions): Client {
  const connection: ConnectionSettings = {
    base: parseBaseUrl(baseUrl),
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${parseApiKey(apiKey)}` },
    fetch: fetch ?? globalThis.fetch,
    timeoutSeconds,
    retry: toRetryLimits(retry, defaultRetryLimits),
  }
  const call = createOperationCaller(connection)
  const jobs = createJobCalls(call)
  const follow = createFollowJobCall(connection)
  return {
    health: (options) => requestHealth(connection, options),
    readiness: (options) => requestReadiness(connection, options),
    me: (options) => call<GetMeData, Me>('GET', { url: '/v2/me' }, options),
    jobs: { ...jobs, ...createJobWaitCalls(jobs, follow), follow },
    views: {
      ...createViewReadCalls(call),
      ...createViewIngestCalls(call),
      ...createViewSettingsCalls(call),
      exportCsv: createExportViewsCall(connection),
    },
    session: createSessionCalls(call),
    invitations: createInvitationCalls(call),
    projects: { ...createProjectCalls(call), export: createExportProjectCall(connection) },
    repository: createRepositoryCalls(call),
    github: createGithubCalls(call),
    runners: createRunnerCalls(call),
    webhooks: createWebhookCalls(call),
    models: createInstanceModelCalls(call),
    spend: createSpendCalls(call),
    instance: createInstanceCalls(call),
    members: createMemberCalls(call),
    people: createPeopleCalls(call),
    keys: createKeyCalls(call),
    federation: createFederationCalls(call),
    audit: createAuditCalls(call),
  }
}

function parseBaseUrl(text: string): URL {
  const url = parseUrl(text)
  // `localhost:8080` parses as a URL with the scheme `localhost`, and fetch rejects a URL that contains a user name.
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      'The base URL must start with http:// or https:// and must not contain a user name or password.',
    )
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, '/')}`)
}

/** Not `URL.canParse`, which browsers of 2023 do not have. */
function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** A file or a variable often ends with a line break. The errors of `fetch` would contain an invalid key, so it is rejected here. */
function parseApiKey(text: string): string {
  const key = text.trim()
  if (!/^[!-~]+$/.test(key)) throw new TypeError('The API key must consist of visible ASCII characters.')
  return key
}
