import type {
  CreateRunnerData,
  CreateRunnerResponse,
  ListRunnersData,
  ListRunnersResponse,
  RevokeRunnerData,
  RevokeRunnerResponse,
  RotateRunnerTokenData,
  RotateRunnerTokenResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type RunnerCalls = ReturnType<typeof createRunnerCalls>

export const createRunnerCalls = (call: OperationCaller) => ({
  /**
   * All runners of the project, newest first, including shared ones.
   * @example
   * const { runners } = await client.runners.list(projectId)
   */
  list: (projectId: string, options?: CallOptions) =>
    call<ListRunnersData, ListRunnersResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/runners', path: { projectId } },
      options,
    ),

  /**
   * The token is only in this response.
   * @example
   * const { token } = await client.runners.create(projectId, { name: 'build-1' })
   */
  create: (projectId: string, body: CreateRunnerData['body'], options?: CallOptions) =>
    call<CreateRunnerData, CreateRunnerResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/runners', path: { projectId }, body },
      options,
    ),

  /**
   * The new token is only in this response. The old one stays valid for the overlap.
   * @example
   * const { token } = await client.runners.rotateToken(projectId, runnerId, { overlapHours: 24 })
   */
  rotateToken: (projectId: string, runnerId: string, body: RotateRunnerTokenData['body'], options?: CallOptions) =>
    call<RotateRunnerTokenData, RotateRunnerTokenResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/runners/{runnerId}/rotate', path: { projectId, runnerId }, body },
      options,
    ),

  /**
   * A revoked runner gets no more turns. Safe to repeat. Returns the remaining runners.
   * @example
   * await client.runners.revoke(projectId, runnerId)
   */
  revoke: (projectId: string, runnerId: string, options?: CallOptions) =>
    call<RevokeRunnerData, RevokeRunnerResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/runners/{runnerId}', path: { projectId, runnerId } },
      options,
    ),
})
