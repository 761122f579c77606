import type {
  ChangePublishingRulesData,
  ChangePublishingRulesResponse,
  ChangeRepositoryData,
  ChangeRepositoryResponse,
  ConnectRepositoryData,
  ConnectRepositoryResponse,
  GetRepositoryData,
  GetRepositoryResponse,
  TestRepositoryData,
  TestRepositoryResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type RepositoryCalls = ReturnType<typeof createRepositoryCalls>

const url = '/v2/projects/{projectId}/repository' as const

export const createRepositoryCalls = (call: OperationCaller) => ({
  /**
   * The connected repository, without its token.
   * @example
   * const repository = await client.repository.get(projectId)
   */
  get: (projectId: string, options?: CallOptions) =>
    call<GetRepositoryData, GetRepositoryResponse>('GET', { url, path: { projectId } }, options),

  /**
   * Tests the connection. Nothing is stored.
   * @example
   * const test = await client.repository.test(projectId, connection)
   */
  test: (projectId: string, body: TestRepositoryData['body'], options?: CallOptions) =>
    call<TestRepositoryData, TestRepositoryResponse>(
      'POST',
      { url: `${url}/test`, path: { projectId }, body },
      options,
    ),

  /**
   * Tests the connection, then stores it. The token is sealed.
   * @example
   * await client.repository.connect(projectId, connection)
   */
  connect: (projectId: string, body: ConnectRepositoryData['body'], options?: CallOptions) =>
    call<ConnectRepositoryData, ConnectRepositoryResponse>('POST', { url, path: { projectId }, body }, options),

  /**
   * Changes what jobs use of the repository. Omitted fields are unchanged.
   * @example
   * await client.repository.change(projectId, { docsFolder: 'docs' })
   */
  change: (projectId: string, body: ChangeRepositoryData['body'], options?: CallOptions) =>
    call<ChangeRepositoryData, ChangeRepositoryResponse>('PATCH', { url, path: { projectId }, body }, options),

  /**
   * Changes what agents may change, and what a person has to approve. Omitted fields are unchanged. Needs an owner who
   * signed in recently.
   * @example
   * await client.repository.changeRules(projectId, { allowedPaths: ['openapi.yaml'] })
   */
  changeRules: (projectId: string, body: ChangePublishingRulesData['body'], options?: CallOptions) =>
    call<ChangePublishingRulesData, ChangePublishingRulesResponse>(
      'PATCH',
      { url: `${url}/rules`, path: { projectId }, body },
      options,
    ),
})
