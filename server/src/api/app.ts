/** The public HTTP service, put together from its routes. */
import type { Readers } from '../analytics/classify/readers.ts'
import type { ViewBuffer } from '../analytics/collect/view-buffer.ts'
import type { ViewReports } from '../analytics/query/view-reports.ts'
import type { KnownSites } from '../analytics/settings/known-sites.ts'
import type { SettingsStore } from '../analytics/settings/settings-store.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { EventStore } from '../jobs/event-store.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { JobSignals } from '../jobs/wake-job.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { ModelStore } from '../models/model-store.ts'
import type { HttpConfig } from '../platform/config.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import { addJsonBody } from '../platform/http/json-body.ts'
import type { Readiness } from '../platform/http/readiness.ts'
import { compileValidator } from '../platform/http/validation.ts'
import type { Log } from '../platform/log.ts'
import type { MemberStore } from '../projects/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { addRoutes, collectDeclaredRoutes, type DeclaredRoute } from './add-routes.ts'
import { changeAnalyticsSettingsRoute } from './analytics/change-analytics-settings.ts'
import { classifyReaderRoute } from './analytics/classify-reader.ts'
import { addCollectScript } from './analytics/collect-script.ts'
import { collectViewRoute } from './analytics/collect-view.ts'
import { createSiteKeyRoute } from './analytics/create-site-key.ts'
import { exportViewsRoute } from './analytics/export-views.ts'
import { getAnalyticsSettingsRoute } from './analytics/get-analytics-settings.ts'
import { getCoverageRoute } from './analytics/get-coverage.ts'
import { ingestViewsRoute } from './analytics/ingest-views.ts'
import { listReadersRoute } from './analytics/list-readers.ts'
import { listSiteKeysRoute } from './analytics/list-site-keys.ts'
import { listViewsRoute } from './analytics/list-views.ts'
import { revokeSiteKeyRoute } from './analytics/revoke-site-key.ts'
import { viewTimeseriesRoute } from './analytics/view-timeseries.ts'
import { healthzRoute } from './health/healthz.ts'
import { readyzRoute } from './health/readyz.ts'
import { addHooks, type HookParts } from './hooks/receive-hook.ts'
import { archiveJobRoute } from './jobs/archive-job.ts'
import { cancelJobRoute } from './jobs/cancel-job.ts'
import { createJobRoute } from './jobs/create-job.ts'
import type { FollowJobs } from './jobs/follow-jobs.ts'
import { getDiffRoute } from './jobs/get-diff.ts'
import { getJobRoute } from './jobs/get-job.ts'
import { listEventsRoute } from './jobs/list-events.ts'
import { listJobsRoute } from './jobs/list-jobs.ts'
import { listMessagesRoute } from './jobs/list-messages.ts'
import { sendMessageRoute } from './jobs/send-message.ts'
import { createKeyRoute } from './keys/create-key.ts'
import { listKeysRoute } from './keys/list-keys.ts'
import { revokeKeyRoute } from './keys/revoke-key.ts'
import { getMeRoute } from './me/get-me.ts'
import { listModelsRoute } from './models/list-models.ts'
import { openApiDocument } from './openapi.ts'
import { addDashboard } from './pages/dashboard.ts'
import { addReference } from './pages/reference.ts'
import { addMemberRoute } from './projects/add-member.ts'
import { changeMemberRoleRoute } from './projects/change-member-role.ts'
import { getProjectRoute } from './projects/get-project.ts'
import { listAuditRoute } from './projects/list-audit.ts'
import { listMembersRoute } from './projects/list-members.ts'
import { removeMemberRoute } from './projects/remove-member.ts'
import { renameProjectRoute } from './projects/rename-project.ts'
import type { Route } from './route.ts'

export interface ApiParts extends JobSignals, HookParts {
  readiness: Readiness
  projects: ProjectStore
  members: MemberStore
  keys: KeyStore
  audit: AuditStore
  jobs: JobStore
  events: EventStore
  followJobs: FollowJobs
  models: ModelStore
  viewBuffer: ViewBuffer
  knownSites: KnownSites
  viewReports: ViewReports
  readers: Readers
  analyticsSettings: SettingsStore
}

/** Every endpoint of the contract, in the order in which the documentation has them. */
export const apiRoutes = (parts: ApiParts): Route[] => [
  createJobRoute(parts),
  getJobRoute(parts),
  sendMessageRoute(parts),
  listJobsRoute(parts),
  listMessagesRoute(parts),
  getDiffRoute(parts),
  listEventsRoute(parts),
  cancelJobRoute(parts),
  archiveJobRoute(parts),
  listModelsRoute(parts),
  ingestViewsRoute(parts),
  collectViewRoute(parts),
  listViewsRoute(parts),
  exportViewsRoute(parts),
  viewTimeseriesRoute(parts),
  listReadersRoute(parts),
  getCoverageRoute(parts),
  classifyReaderRoute(parts),
  getAnalyticsSettingsRoute(parts),
  changeAnalyticsSettingsRoute(parts),
  listSiteKeysRoute(parts),
  createSiteKeyRoute(parts),
  revokeSiteKeyRoute(parts),
  getMeRoute(),
  listKeysRoute(parts),
  createKeyRoute(parts),
  revokeKeyRoute(parts),
  getProjectRoute(parts),
  renameProjectRoute(parts),
  listMembersRoute(parts),
  addMemberRoute(parts),
  changeMemberRoleRoute(parts),
  removeMemberRoute(parts),
  listAuditRoute(parts),
  healthzRoute(),
  readyzRoute(parts),
]

export interface Api {
  server: HttpServer
  declaredRoutes: readonly DeclaredRoute[]
}

export function createApi(parts: ApiParts, config: HttpConfig, log: Log): Api {
  const server = createHttpServer(config, log)
  const declaredRoutes = collectDeclaredRoutes(server)
  addJsonBody(server)
  server.setValidatorCompiler(compileValidator)
  const routes = apiRoutes(parts)
  addRoutes(server, routes, parts.keys)
  addHooks(server, parts)
  addCollectScript(server)
  addReference(server, openApiDocument(routes))
  addDashboard(server, log)
  return { server, declaredRoutes }
}
