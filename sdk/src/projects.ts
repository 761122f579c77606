import type {
  GetProjectData,
  GetProjectResponse,
  RenameProjectData,
  RenameProjectResponse,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type Projects = ReturnType<typeof projects>

export const projects = (call: CallOperation) => ({
  get: (projectId: string, options?: CallOptions) =>
    call<GetProjectData, GetProjectResponse>('GET', { url: '/v2/projects/{projectId}', path: { projectId } }, options),

  rename: (projectId: string, body: RenameProjectData['body'], options?: CallOptions) =>
    call<RenameProjectData, RenameProjectResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}', path: { projectId }, body },
      options,
    ),
})
