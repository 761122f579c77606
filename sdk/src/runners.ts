import type {
  CreateRunnerData,
  CreateRunnerResponse,
  ListRunnersData,
  ListRunnersResponse,
  RevokeRunnerData,
  RevokeRunnerResponse,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type Runners = ReturnType<typeof runners>

export const runners = (call: CallOperation) => ({
  /** Newest first, shared ones too. */
  list: (projectId: string, options?: CallOptions) =>
    call<ListRunnersData, ListRunnersResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/runners', path: { projectId } },
      options,
    ),

  /** Its token is in this answer and nowhere else. */
  create: (projectId: string, body: CreateRunnerData['body'], options?: CallOptions) =>
    call<CreateRunnerData, CreateRunnerResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/runners', path: { projectId }, body },
      options,
    ),

  /** It gets no more turns. Safe to repeat; answers with those that are left. */
  revoke: (projectId: string, runnerId: string, options?: CallOptions) =>
    call<RevokeRunnerData, RevokeRunnerResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/runners/{runnerId}', path: { projectId, runnerId } },
      options,
    ),
})
