/** The public HTTP API, assembled from its routes. */
import type { ClientDetector } from '../analytics/classify/client-detector.ts'
import type { SourceActivityRecorder } from '../analytics/collect/source-activity-recorder.ts'
import type { PostgresViewBuffer } from '../analytics/collect/view-buffer.ts'
import type { ObservedTrafficFinder } from '../analytics/query/observed-traffic-finder.ts'
import type { ViewReportReader } from '../analytics/query/view-report-reader.ts'
import type { AnalyticsSettingsStore } from '../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../analytics/settings/analytics-site-cache.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { GithubAuthorizationStore } from '../github/authorization-store.ts'
import type { AgentEventStore } from '../jobs/agent-event-store.ts'
import type { JobSignaler } from '../jobs/job-signaler.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { FindMostAdvancedJob } from '../jobs/most-advanced-job.ts'
import type { ProjectPauseStore } from '../jobs/project-pause-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { BudgetDefaults } from '../models/budget.ts'
import type { BudgetStore } from '../models/budget-store.ts'
import type { ModelStore } from '../models/model-store.ts'
import type { StoredModelTester } from '../models/stored-model-tester.ts'
import type { MemberStore } from '../people/member-store.ts'
import type { HttpConfig, SecurityContactConfig } from '../platform/config.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import { addJsonBodyParser } from '../platform/http/json-body.ts'
import type { Readiness } from '../platform/http/readiness.ts'
import { compileValidator } from '../platform/http/validation.ts'
import type { Log } from '../platform/log.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { addRoutes, type DeclaredRoute, enforceDeclaredAccess } from './add-routes.ts'
import { changeAnalyticsSettingsRoute } from './analytics/change-analytics-settings.ts'
import { classifyClientRoute } from './analytics/classify-client.ts'
import { collectViewRoute } from './analytics/collect-view.ts'
import { createSiteKeyRoute } from './analytics/create-site-key.ts'
import { exportPagesByViewsRoute } from './analytics/export-views.ts'
import { getAnalyticsSettingsRoute } from './analytics/get-analytics-settings.ts'
import { getCoverageRoute } from './analytics/get-coverage.ts'
import { getViewTimeseriesRoute } from './analytics/get-view-timeseries.ts'
import { ingestViewsRoute } from './analytics/ingest-views.ts'
import { listClientsRoute } from './analytics/list-clients.ts'
import { listLiveEventsRoute } from './analytics/list-live-events.ts'
import { listSiteKeysRoute } from './analytics/list-site-keys.ts'
import { listSourcesRoute } from './analytics/list-sources.ts'
import { listPagesByViewsRoute } from './analytics/list-views.ts'
import { revokeSiteKeyRoute } from './analytics/revoke-site-key.ts'
import { addTrackingScript } from './analytics/tracking-script.ts'
import { completeGithubAppCreationRoute } from './github/complete-app.ts'
import { completeGithubAuthorizationRoute } from './github/complete-authorization.ts'
import { connectGithubRepositoryRoute } from './github/connect-github-repository.ts'
import type { GithubConnector } from './github/github-connector.ts'
import { listGithubAppsRoute } from './github/list-apps.ts'
import { startGithubAppCreationRoute } from './github/start-app.ts'
import { startGithubAuthorizationRoute } from './github/start-authorization.ts'
import { testGithubRepositoryRoute } from './github/test-github-repository.ts'
import { healthzRoute } from './health/healthz.ts'
import { readyzRoute } from './health/readyz.ts'
import { archiveJobRoute } from './jobs/archive-job.ts'
import { cancelJobRoute } from './jobs/cancel-job.ts'
import { createJobRoute } from './jobs/create-job.ts'
import { getDiffRoute } from './jobs/get-diff.ts'
import { getJobRoute } from './jobs/get-job.ts'
import type { StreamJobEvents } from './jobs/job-event-streams.ts'
import { listEventsRoute } from './jobs/list-events.ts'
import { listJobsRoute } from './jobs/list-jobs.ts'
import { listMessagesRoute } from './jobs/list-messages.ts'
import { sendMessageRoute } from './jobs/send-message.ts'
import { createKeyRoute } from './keys/create-key.ts'
import { listKeysRoute } from './keys/list-keys.ts'
import { revokeKeyRoute } from './keys/revoke-key.ts'
import { getMeRoute } from './me/get-me.ts'
import { addModelRoute } from './models/add-model.ts'
import { listInstanceModelsRoute } from './models/list-instance-models.ts'
import { listModelsRoute } from './models/list-models.ts'
import type { ModelConnector } from './models/model-connector.ts'
import { removeModelRoute } from './models/remove-model.ts'
import { setDefaultModelRoute } from './models/set-default-model.ts'
import { testModelRoute } from './models/test-model.ts'
import { testProjectModelRoute } from './models/test-project-model.ts'
import { buildOpenApiDocument } from './openapi.ts'
import { addDashboard } from './pages/dashboard.ts'
import { addDocsPages } from './pages/docs.ts'
import { addErrorPages } from './pages/errors.ts'
import { addReferencePage } from './pages/reference.ts'
import { addSecurityTxt } from './pages/security-txt.ts'
import { acceptInvitationRoute } from './people/accept-invitation.ts'
import { changePasswordRoute } from './people/change-password.ts'
import { createFirstOwnerRoute } from './people/create-first-owner.ts'
import { type CreateInvitationDeps, createInvitationRoute } from './people/create-invitation.ts'
import { endOtherSessionsRoute } from './people/end-other-sessions.ts'
import { getSessionRoute } from './people/get-session.ts'
import { listInvitationsRoute } from './people/list-invitations.ts'
import { lookUpInvitationRoute } from './people/look-up-invitation.ts'
import { addProviderCallback } from './people/provider-callback.ts'
import { resetPasswordRoute } from './people/reset-password.ts'
import { revokeInvitationRoute } from './people/revoke-invitation.ts'
import type { SessionDeps } from './people/session-response.ts'
import { signInRoute } from './people/sign-in.ts'
import { signOutRoute } from './people/sign-out.ts'
import { startProviderSignInRoute } from './people/start-provider-sign-in.ts'
import { addMemberRoute } from './projects/add-member.ts'
import { changeMemberRoleRoute } from './projects/change-member-role.ts'
import { changeSettingsRoute } from './projects/change-settings.ts'
import { createProjectRoute } from './projects/create-project.ts'
import { getHealthRoute } from './projects/get-health.ts'
import { getProjectRoute } from './projects/get-project.ts'
import { getSettingsRoute } from './projects/get-settings.ts'
import { getSetupProgressRoute } from './projects/get-setup.ts'
import { listAuditEntriesRoute } from './projects/list-audit-entries.ts'
import { listMembersRoute } from './projects/list-members.ts'
import { listProjectsRoute } from './projects/list-projects.ts'
import { pauseProjectRoute } from './projects/pause-project.ts'
import { removeMemberRoute } from './projects/remove-member.ts'
import { renameProjectRoute } from './projects/rename-project.ts'
import { resumeProjectRoute } from './projects/resume-project.ts'
import { changeRepositoryRoute } from './repository/change-repository.ts'
import { connectRepositoryRoute } from './repository/connect-repository.ts'
import { getRepositoryRoute } from './repository/get-repository.ts'
import type { RepositoryConnector } from './repository/repository-connector.ts'
import { testRepositoryRoute } from './repository/test-repository.ts'
import type { Route } from './route.ts'
import { createRunnerRoute } from './runners/create-runner.ts'
import { listRunnersRoute } from './runners/list-runners.ts'
import { revokeRunnerRoute } from './runners/revoke-runner.ts'
import { addWebhooks, type WebhookDeps } from './webhooks/receive-webhook.ts'

export interface ApiDeps extends JobSignaler, WebhookDeps, SessionDeps, CreateInvitationDeps {
  readiness: Readiness
  projects: ProjectStore
  members: MemberStore
  keys: KeyStore
  audit: AuditStore
  jobs: JobStore
  events: AgentEventStore
  streamJobEvents: StreamJobEvents
  findMostAdvancedJob: FindMostAdvancedJob
  models: ModelStore
  modelProviders: ModelConnector
  testStoredModel: StoredModelTester
  budgets: BudgetStore
  instanceBudget: BudgetDefaults
  pauses: ProjectPauseStore
  runners: RunnerStore
  gatewayUrl: string | undefined
  securityContact: SecurityContactConfig | undefined
  readSchemaVersion: () => Promise<string | null>
  codeHosts: RepositoryConnector
  github: GithubConnector
  authorizations: GithubAuthorizationStore
  observedTraffic: ObservedTrafficFinder
  viewBuffer: PostgresViewBuffer
  sourceActivity: SourceActivityRecorder
  siteCache: AnalyticsSiteCache
  viewReports: ViewReportReader
  clientDetector: ClientDetector
  analyticsSettings: AnalyticsSettingsStore
}

/** All endpoints of the documented API, in the order of the documentation. */
export const createApiRoutes = (deps: ApiDeps): Route[] => [
  createJobRoute(deps),
  getJobRoute(deps),
  sendMessageRoute(deps),
  listJobsRoute(deps),
  listMessagesRoute(deps),
  getDiffRoute(deps),
  listEventsRoute(deps),
  cancelJobRoute(deps),
  archiveJobRoute(deps),
  listModelsRoute(deps),
  testProjectModelRoute(deps),
  ingestViewsRoute(deps),
  collectViewRoute(deps),
  listPagesByViewsRoute(deps),
  exportPagesByViewsRoute(deps),
  getViewTimeseriesRoute(deps),
  listClientsRoute(deps),
  getCoverageRoute(deps),
  listSourcesRoute(deps),
  listLiveEventsRoute(deps),
  classifyClientRoute(deps),
  getAnalyticsSettingsRoute(deps),
  changeAnalyticsSettingsRoute(deps),
  listSiteKeysRoute(deps),
  createSiteKeyRoute(deps),
  revokeSiteKeyRoute(deps),
  getMeRoute(),
  listKeysRoute(deps),
  createKeyRoute(deps),
  revokeKeyRoute(deps),
  listProjectsRoute(deps),
  createProjectRoute(deps),
  getProjectRoute(deps),
  renameProjectRoute(deps),
  getSetupProgressRoute(deps),
  getRepositoryRoute(deps),
  testRepositoryRoute(deps),
  connectRepositoryRoute(deps),
  changeRepositoryRoute(deps),
  startGithubAuthorizationRoute(deps),
  completeGithubAuthorizationRoute(deps),
  testGithubRepositoryRoute(deps),
  connectGithubRepositoryRoute(deps),
  getSettingsRoute(deps),
  changeSettingsRoute(deps),
  pauseProjectRoute(deps),
  resumeProjectRoute(deps),
  listRunnersRoute(deps),
  createRunnerRoute(deps),
  revokeRunnerRoute(deps),
  getHealthRoute(deps),
  listMembersRoute(deps),
  addMemberRoute(deps),
  changeMemberRoleRoute(deps),
  removeMemberRoute(deps),
  listInvitationsRoute(deps),
  createInvitationRoute(deps),
  revokeInvitationRoute(deps),
  listAuditEntriesRoute(deps),
  listInstanceModelsRoute(deps),
  testModelRoute(deps),
  addModelRoute(deps),
  removeModelRoute(deps),
  setDefaultModelRoute(deps),
  listGithubAppsRoute(deps),
  startGithubAppCreationRoute(deps),
  completeGithubAppCreationRoute(deps),
  getSessionRoute(deps),
  signInRoute(deps),
  signOutRoute(deps),
  endOtherSessionsRoute(deps),
  startProviderSignInRoute(deps),
  createFirstOwnerRoute(deps),
  changePasswordRoute(deps),
  resetPasswordRoute(deps),
  lookUpInvitationRoute(deps),
  acceptInvitationRoute(deps),
  healthzRoute(),
  readyzRoute(deps),
]

export interface Api {
  server: HttpServer
  declaredRoutes: readonly DeclaredRoute[]
}

export function createApi(deps: ApiDeps, config: HttpConfig, log: Log): Api {
  const server = createHttpServer(config, log, { publicUrl: deps.publicUrl })
  const declaredRoutes = enforceDeclaredAccess(server)
  addJsonBodyParser(server)
  server.setValidatorCompiler(compileValidator)
  const routes = createApiRoutes(deps)
  const publicOrigin = new URL(deps.publicUrl).origin
  addRoutes(server, routes, { ...deps, publicOrigin })
  addProviderCallback(server, deps.sessions, publicOrigin)
  addWebhooks(server, deps)
  addTrackingScript(server)
  addReferencePage(server, buildOpenApiDocument(routes))
  addErrorPages(server)
  addSecurityTxt(server, deps)
  addDocsPages(server, log)
  addDashboard(server, log, { formTargets: deps.github.baseUrls })
  return { server, declaredRoutes }
}
