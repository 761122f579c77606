/** The public HTTP API, assembled from the routes of its subjects. */
import type { HttpConfig } from '../platform/config.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import { addJsonBodyParser } from '../platform/http/json-body.ts'
import { type DeclaredRoute, enforceDeclaredAccess } from '../platform/http/register-route.ts'
import { compileValidator } from '../platform/http/validation.ts'
import type { Log } from '../platform/log.ts'
import { addRoutes } from './add-routes.ts'
import { type AnalyticsRouteDeps, analyticsRoutes } from './analytics/analytics-routes.ts'
import { addTrackingScript } from './analytics/tracking-script.ts'
import { type AuditRouteDeps, auditRoutes } from './audit/audit-routes.ts'
import { type EndpointRouteDeps, endpointRoutes } from './endpoints/endpoint-routes.ts'
import { type FederationRouteDeps, federationRoutes } from './federation/federation-routes.ts'
import { type GithubAppRouteDeps, githubAppRoutes } from './github/github-app-routes.ts'
import { type GithubRepositoryRouteDeps, githubRepositoryRoutes } from './github/github-repository-routes.ts'
import { type HealthRouteDeps, healthRoutes } from './health/health-routes.ts'
import { type InstanceStatusDeps, instanceStatusRoutes } from './health/instance-status.ts'
import { type JobRouteDeps, jobRoutes } from './jobs/job-routes.ts'
import { type KeyRouteDeps, keyRoutes } from './keys/key-routes.ts'
import { addLogDrains, type ReceiveLogsDeps } from './log-drains/receive-logs.ts'
import { addMcpEndpoint } from './mcp/mcp-endpoint.ts'
import { type InstanceModelRouteDeps, instanceModelRoutes } from './models/instance-model-routes.ts'
import { type ProjectModelRouteDeps, projectModelRoutes } from './models/project-model-routes.ts'
import { buildOpenApiDocument } from './openapi.ts'
import { addClientPackages } from './pages/client-packages.ts'
import { addDashboard } from './pages/dashboard.ts'
import { addDocsPages } from './pages/docs.ts'
import { addErrorPages } from './pages/errors.ts'
import { addReferencePage } from './pages/reference.ts'
import { addSecurityTxt, type SecurityTxtDeps } from './pages/security-txt.ts'
import { type AcceptInvitationDeps, acceptInvitationRoutes } from './people/accept-invitation.ts'
import { accountRoutes } from './people/account-routes.ts'
import { type InvitationRouteDeps, invitationRoutes } from './people/invitation-routes.ts'
import { type MemberRouteDeps, memberRoutes } from './people/member-routes.ts'
import { passkeyRoutes } from './people/passkey-routes.ts'
import { type PeopleRouteDeps, peopleRoutes } from './people/people-routes.ts'
import { addProviderCallback } from './people/provider-callback.ts'
import { type RequiredSecondFactorDeps, requiredSecondFactorRoutes } from './people/required-second-factor-routes.ts'
import { secondFactorRoutes } from './people/second-factor-routes.ts'
import { sessionRoutes } from './people/session-routes.ts'
import { getProjectHealthRoute, type ProjectHealthDeps } from './projects/get-health.ts'
import { type PauseRouteDeps, pauseRoutes } from './projects/pause-routes.ts'
import { type ProjectRouteDeps, projectRoutes } from './projects/project-routes.ts'
import type { SettingsDeps } from './projects/project-settings.ts'
import { projectSettingsRoutes } from './projects/project-settings-routes.ts'
import { type RepositoryRouteDeps, repositoryRoutes } from './repository/repository-routes.ts'
import type { AccessRequirement, Route } from './route.ts'
import { type RunnerRouteDeps, runnerRoutes } from './runners/runner-routes.ts'
import { type SpendRouteDeps, spendRoutes } from './spend/spend-routes.ts'
import { addWebhooks, type WebhookDeps } from './webhooks/receive-webhook.ts'

export interface ApiDeps
  extends JobRouteDeps,
    ProjectModelRouteDeps,
    AnalyticsRouteDeps,
    KeyRouteDeps,
    FederationRouteDeps,
    ProjectRouteDeps,
    RepositoryRouteDeps,
    GithubRepositoryRouteDeps,
    SettingsDeps,
    SpendRouteDeps,
    PauseRouteDeps,
    RunnerRouteDeps,
    EndpointRouteDeps,
    ProjectHealthDeps,
    MemberRouteDeps,
    InvitationRouteDeps,
    PeopleRouteDeps,
    AuditRouteDeps,
    InstanceModelRouteDeps,
    GithubAppRouteDeps,
    AcceptInvitationDeps,
    RequiredSecondFactorDeps,
    HealthRouteDeps,
    InstanceStatusDeps,
    WebhookDeps,
    ReceiveLogsDeps,
    SecurityTxtDeps {
  /** Whether browsers must also use HTTPS for the subdomains of the public URL. */
  requiresHttpsOfSubdomains: boolean
}

/** All endpoints of the documented API, in the order of the documentation. */
export const createApiRoutes = (deps: ApiDeps): Route[] => [
  ...jobRoutes(deps),
  ...projectModelRoutes(deps),
  ...analyticsRoutes(deps),
  ...keyRoutes(deps),
  ...federationRoutes(deps),
  ...projectRoutes(deps),
  ...repositoryRoutes(deps),
  ...githubRepositoryRoutes(deps),
  ...projectSettingsRoutes(deps),
  ...spendRoutes(deps),
  ...pauseRoutes(deps),
  ...runnerRoutes(deps),
  ...endpointRoutes(deps),
  getProjectHealthRoute(deps),
  ...memberRoutes(deps),
  ...invitationRoutes(deps),
  ...requiredSecondFactorRoutes(deps),
  ...auditRoutes(deps),
  ...instanceModelRoutes(deps),
  ...githubAppRoutes(deps),
  ...peopleRoutes(deps),
  ...sessionRoutes(deps),
  ...secondFactorRoutes(deps),
  ...passkeyRoutes(deps),
  ...accountRoutes(deps),
  ...acceptInvitationRoutes(deps),
  ...instanceStatusRoutes(deps),
  ...healthRoutes(deps),
]

export interface Api {
  server: HttpServer
  declaredRoutes: readonly DeclaredRoute<AccessRequirement>[]
}

export function createApi(deps: ApiDeps, config: HttpConfig, log: Log): Api {
  const server = createHttpServer(config, log, {
    publicUrl: deps.publicUrl,
    requiresHttpsOfSubdomains: deps.requiresHttpsOfSubdomains,
    onUntrustedProxy: (address) =>
      deps.readiness.warn(
        'untrusted_proxy',
        `Requests come from a reverse proxy at ${address}, which is not in COLOPHON_TRUSTED_PROXIES: all clients behind it share one ` +
          'rate limit. Add its address to COLOPHON_TRUSTED_PROXIES.',
      ),
  })
  const declaredRoutes = enforceDeclaredAccess<AccessRequirement>(server)
  addJsonBodyParser(server)
  server.setValidatorCompiler(compileValidator)
  const routes = createApiRoutes(deps)
  const publicOrigin = new URL(deps.publicUrl).origin
  const authorizeDeps = { ...deps, publicOrigin }
  addRoutes(server, routes, authorizeDeps)
  addMcpEndpoint(server, authorizeDeps)
  addProviderCallback(server, deps, publicOrigin)
  addWebhooks(server, deps)
  addLogDrains(server, deps)
  addTrackingScript(server)
  addReferencePage(server, buildOpenApiDocument(routes))
  addErrorPages(server)
  addSecurityTxt(server, deps)
  addDocsPages(server, log)
  addClientPackages(server, log, deps)
  addDashboard(server, log, { formTargets: deps.github.baseUrls })
  return { server, declaredRoutes }
}
