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
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type GithubCalls = ReturnType<typeof github>

const ofProject = '/v2/projects/{projectId}/github' as const

/** For people who are signed in: GitHub has to know them too. */
export const github = (call: CallOperation) => ({
  apps: (options?: CallOptions) =>
    call<ListGithubAppsData, ListGithubAppsResponse>('GET', { url: '/v2/github/apps' }, options),

  /** For those who run the installation: a form with the field `manifest` is then posted to `action`. */
  startApp: (body: StartGithubAppData['body'], options?: CallOptions) =>
    call<StartGithubAppData, StartGithubAppResponse>('POST', { url: '/v2/github/apps/start', body }, options),

  completeApp: (body: CompleteGithubAppData['body'], options?: CallOptions) =>
    call<CompleteGithubAppData, GithubApp>('POST', { url: '/v2/github/apps/complete', body }, options),

  startAuthorization: (projectId: string, body: StartGithubAuthorizationData['body'], options?: CallOptions) =>
    call<StartGithubAuthorizationData, StartGithubAuthorizationResponse>(
      'POST',
      { url: `${ofProject}/authorizations`, path: { projectId }, body },
      options,
    ),

  /** The repositories that both the App and whoever is signed in can write to. */
  completeAuthorization: (projectId: string, body: CompleteGithubAuthorizationData['body'], options?: CallOptions) =>
    call<CompleteGithubAuthorizationData, GithubRepositoryList>(
      'POST',
      { url: `${ofProject}/authorizations/complete`, path: { projectId }, body },
      options,
    ),

  /** Nothing is stored. */
  testRepository: (projectId: string, body: TestGithubRepositoryData['body'], options?: CallOptions) =>
    call<TestGithubRepositoryData, RepositoryTest>(
      'POST',
      { url: `${ofProject}/repository/test`, path: { projectId }, body },
      options,
    ),

  connectRepository: (projectId: string, body: ConnectGithubRepositoryData['body'], options?: CallOptions) =>
    call<ConnectGithubRepositoryData, Repository>(
      'POST',
      { url: `${ofProject}/repository`, path: { projectId }, body },
      options,
    ),
})
