import type {
  CompleteGithubAppData,
  CompleteGithubAuthorizationData,
  ConnectGithubRepositoryData,
  GithubApp,
  GithubRepositoryList,
  ListGithubAppsData,
  ListGithubAppsResponse,
  Repository,
  RepositoryTest,
  StartGithubAppData,
  StartGithubAppResponse,
  StartGithubAuthorizationData,
  StartGithubAuthorizationResponse,
  TestGithubRepositoryData,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type GithubCalls = ReturnType<typeof createGithubCalls>

const projectUrl = '/v2/projects/{projectId}/github' as const

/** Requires a signed-in person, who also authorizes on GitHub. */
export const createGithubCalls = (call: OperationCaller) => ({
  apps: (options?: CallOptions) =>
    call<ListGithubAppsData, ListGithubAppsResponse>('GET', { url: '/v2/github/apps' }, options),

  /** For operators. Afterwards, post a form with the field `manifest` to `action`. */
  startApp: (body: StartGithubAppData['body'], options?: CallOptions) =>
    call<StartGithubAppData, StartGithubAppResponse>('POST', { url: '/v2/github/apps/start', body }, options),

  completeApp: (body: CompleteGithubAppData['body'], options?: CallOptions) =>
    call<CompleteGithubAppData, GithubApp>('POST', { url: '/v2/github/apps/complete', body }, options),

  startAuthorization: (projectId: string, body: StartGithubAuthorizationData['body'], options?: CallOptions) =>
    call<StartGithubAuthorizationData, StartGithubAuthorizationResponse>(
      'POST',
      { url: `${projectUrl}/authorizations`, path: { projectId }, body },
      options,
    ),

  /** Returns the repositories that both the App and the signed-in person can write to. */
  completeAuthorization: (projectId: string, body: CompleteGithubAuthorizationData['body'], options?: CallOptions) =>
    call<CompleteGithubAuthorizationData, GithubRepositoryList>(
      'POST',
      { url: `${projectUrl}/authorizations/complete`, path: { projectId }, body },
      options,
    ),

  /** Nothing is stored. */
  testRepository: (projectId: string, body: TestGithubRepositoryData['body'], options?: CallOptions) =>
    call<TestGithubRepositoryData, RepositoryTest>(
      'POST',
      { url: `${projectUrl}/repository/test`, path: { projectId }, body },
      options,
    ),

  connectRepository: (projectId: string, body: ConnectGithubRepositoryData['body'], options?: CallOptions) =>
    call<ConnectGithubRepositoryData, Repository>(
      'POST',
      { url: `${projectUrl}/repository`, path: { projectId }, body },
      options,
    ),
})
