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
  get: (projectId: string, options?: CallOptions) =>
    call<GetRepositoryData, GetRepositoryResponse>('GET', { url, path: { projectId } }, options),

  /** Tests the connection. Nothing is stored. */
  test: (projectId: string, body: TestRepositoryData['body'], options?: CallOptions) =>
    call<TestRepositoryData, TestRepositoryResponse>(
      'POST',
      { url: `${url}/test`, path: { projectId }, body },
      options,
    ),

  /** Tests the connection, then stores it. The token is sealed. */
  connect: (projectId: string, body: ConnectRepositoryData['body'], options?: CallOptions) =>
    call<ConnectRepositoryData, ConnectRepositoryResponse>('POST', { url, path: { projectId }, body }, options),

  /** Omitted fields are unchanged. */
  change: (projectId: string, body: ChangeRepositoryData['body'], options?: CallOptions) =>
    call<ChangeRepositoryData, ChangeRepositoryResponse>('PATCH', { url, path: { projectId }, body }, options),

  /** Omitted fields are unchanged. Needs an owner who signed in recently. */
  changeRules: (projectId: string, body: ChangePublishingRulesData['body'], options?: CallOptions) =>
    call<ChangePublishingRulesData, ChangePublishingRulesResponse>(
      'PATCH',
      { url: `${url}/rules`, path: { projectId }, body },
      options,
    ),
})
