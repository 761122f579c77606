import { type Audit, audit } from './audit.ts'
import { type ExportViews, exportViewsOver } from './export-views.ts'
import { type Follow, followOver } from './follow.ts'
import type { GetMeData, Health, Me } from './generated/types.gen.ts'
import { type GithubCalls, github } from './github.ts'
import { health, type Readiness, readiness } from './health.ts'
import { type InstanceModels, instanceModels } from './instance-models.ts'
import { type Invitations, invitations } from './invitations.ts'
import { type Jobs, jobs } from './jobs.ts'
import { type Keys, keys } from './keys.ts'
import { type Members, members } from './members.ts'
import { operationsOver } from './operation.ts'
import { type Projects, projects } from './projects.ts'
import { type ReadViews, readViews } from './read-views.ts'
import { type RepositoryCalls, repository } from './repository.ts'
import type { CallOptions, Connection } from './request.ts'
import { type Runners, runners } from './runners.ts'
import { type SessionCalls, session } from './session.ts'
import { type TellViews, tellViews } from './tell-views.ts'
import { type ViewSettings, viewSettings } from './view-settings.ts'

export interface ClientOptions {
  /** Where Colophon answers, like `https://colophon.example.com`; a path in it is kept. */
  baseUrl: string
  /** A secret: for servers and CI, never for a browser. */
  apiKey?: string
  /** The platform's own unless given. */
  fetch?: typeof globalThis.fetch
  /** How long a call may take, answer included; 30 unless given. */
  timeoutSeconds?: number
}

/** Every call throws `ColophonError` when it fails. */
export interface Client {
  /** The process is alive. */
  health(options?: CallOptions): Promise<Health>
  /** What works and what does not. A server that is not ready is an answer too, not an error. */
  readiness(options?: CallOptions): Promise<Readiness>
  /** What the API key is good for: the way to test one. */
  me(options?: CallOptions): Promise<Me>
  readonly jobs: Jobs & {
    /** What the agent does, as it happens, until the job is no longer active; a lost connection is taken up again. */
    follow: Follow
  }
  /** Which pages people and AIs read. */
  readonly views: ReadViews &
    TellViews &
    ViewSettings & {
      /** Every page of a range, as CSV, as it comes. */
      exportCsv: ExportViews
    }
  /** Of people who sign in, for the dashboard. */
  readonly session: SessionCalls
  readonly invitations: Invitations
  readonly projects: Projects
  /** Where a project's jobs work, and how it publishes. */
  readonly repository: RepositoryCalls
  /** How a project gets a repository of GitHub through the installation's App. */
  readonly github: GithubCalls
  readonly runners: Runners
  /** All of the installation's, for those who run it. */
  readonly models: InstanceModels
  readonly members: Members
  readonly keys: Keys
  /** Who did what in a project. */
  readonly audit: Audit
}

/** Throws `TypeError` when the base URL is none. */
export function createClient({ baseUrl, apiKey, fetch, timeoutSeconds = 30 }: ClientOptions): Client {
  const connection: Connection = {
    base: parseBaseUrl(baseUrl),
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    fetch: fetch ?? globalThis.fetch,
    timeoutSeconds,
  }
  const call = operationsOver(connection)
  return {
    health: (options) => health(connection, options),
    readiness: (options) => readiness(connection, options),
    me: (options) => call<GetMeData, Me>('GET', { url: '/v2/me' }, options),
    jobs: { ...jobs(call), follow: followOver(connection) },
    views: { ...readViews(call), ...tellViews(call), ...viewSettings(call), exportCsv: exportViewsOver(connection) },
    session: session(call),
    invitations: invitations(call),
    projects: projects(call),
    repository: repository(call),
    github: github(call),
    runners: runners(call),
    models: instanceModels(call),
    members: members(call),
    keys: keys(call),
    audit: audit(call),
  }
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  // `localhost:8080` is a URL too, of the scheme `localhost`; and fetch refuses a user name in one.
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError('The base URL must start with http:// or https:// and hold no user name.')
  }
  return new URL(`${url.origin}${url.pathname.replace(/\/*$/, '/')}`)
}
