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
  /**
   * The GitHub Apps of the instance.
   * @example
   * const { apps } = await client.github.apps()
   */
  apps: (options?: CallOptions) =>
    call<ListGithubAppsData, ListGithubAppsResponse>('GET', { url: '/v2/github/apps' }, options),

  /**
   * Starts the creation of a GitHub App. For operators. Afterwards, post a form with the field `manifest` to `action`.
   * @example
   * const { action, manifest } = await client.github.startApp({ baseUrl: 'https://github.com' })
   */
  startApp: (body: StartGithubAppData['body'], options?: CallOptions) =>
    call<StartGithubAppData, StartGithubAppResponse>('POST', { url: '/v2/github/apps/start', body }, options),

  /**
   * Completes the creation of a GitHub App, with what GitHub added to the URL that it redirected to.
   * @example
   * await client.github.completeApp({ code, state })
   */
  completeApp: (body: CompleteGithubAppData['body'], options?: CallOptions) =>
    call<CompleteGithubAppData, GithubApp>('POST', { url: '/v2/github/apps/complete', body }, options),

  /**
   * Starts an authorization on GitHub. Afterwards, navigate the browser to `installUrl` to give the App access to
   * repositories, or to `authorizeUrl` if it has access already.
   * @example
   * const { authorizeUrl } = await client.github.startAuthorization(projectId, { baseUrl: 'https://github.com' })
   */
  startAuthorization: (projectId: string, body: StartGithubAuthorizationData['body'], options?: CallOptions) =>
    call<StartGithubAuthorizationData, StartGithubAuthorizationResponse>(
      'POST',
      { url: `${projectUrl}/authorizations`, path: { projectId }, body },
      options,
    ),

  /**
   * Completes an authorization, with what GitHub added to the URL that it redirected to. Returns the repositories that both
   * the App and the signed-in person can write to.
   * @example
   * const { repositories } = await client.github.completeAuthorization(projectId, { code, state })
   */
  completeAuthorization: (projectId: string, body: CompleteGithubAuthorizationData['body'], options?: CallOptions) =>
    call<CompleteGithubAuthorizationData, GithubRepositoryList>(
      'POST',
      { url: `${projectUrl}/authorizations/complete`, path: { projectId }, body },
      options,
    ),

  /**
   * Tests the connection to a repository. Nothing is stored.
   * @example
   * const test = await client.github.testRepository(projectId, choice)
   */
  testRepository: (projectId: string, body: TestGithubRepositoryData['body'], options?: CallOptions) =>
    call<TestGithubRepositoryData, RepositoryTest>(
      'POST',
      { url: `${projectUrl}/repository/test`, path: { projectId }, body },
      options,
    ),

  /**
   * Connects the project to a repository of the authorization.
   * @example
   * await client.github.connectRepository(projectId, choice)
   */
  connectRepository: (projectId: string, body: ConnectGithubRepositoryData['body'], options?: CallOptions) =>
    call<ConnectGithubRepositoryData, Repository>(
      'POST',
      { url: `${projectUrl}/repository`, path: { projectId }, body },
      options,
    ),
})
