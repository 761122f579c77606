import type {
  ChangeProjectSettingsData,
  ChangeProjectSettingsResponse,
  CreateProjectData,
  CreateProjectResponse,
  DeleteProjectData,
  DeleteProjectResponse,
  GetProjectData,
  GetProjectHealthData,
  GetProjectHealthResponse,
  GetProjectResponse,
  GetProjectSettingsData,
  GetProjectSettingsResponse,
  GetSetupData,
  GetSetupResponse,
  ListProjectsData,
  ListProjectsResponse,
  PauseProjectData,
  PauseProjectResponse,
  RenameProjectData,
  RenameProjectResponse,
  ResumeProjectData,
  ResumeProjectResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type ProjectCalls = ReturnType<typeof createProjectCalls>

export const createProjectCalls = (call: OperationCaller) => ({
  /**
   * The projects of the signed-in person.
   * @example
   * const { projects } = await client.projects.list()
   */
  list: (options?: CallOptions) =>
    call<ListProjectsData, ListProjectsResponse>('GET', { url: '/v2/projects' }, options),

  /**
   * For operators. The caller becomes the owner of the project.
   * @example
   * const project = await client.projects.create({ name: 'Handbook' })
   */
  create: (body: CreateProjectData['body'], options?: CallOptions) =>
    call<CreateProjectData, CreateProjectResponse>('POST', { url: '/v2/projects', body }, options),

  /**
   * A project.
   * @example
   * const { name } = await client.projects.get(projectId)
   */
  get: (projectId: string, options?: CallOptions) =>
    call<GetProjectData, GetProjectResponse>('GET', { url: '/v2/projects/{projectId}', path: { projectId } }, options),

  /**
   * Which setup steps are done. Cheap enough to call every two seconds.
   * @example
   * const setup = await client.projects.setup(projectId)
   */
  setup: (projectId: string, options?: CallOptions) =>
    call<GetSetupData, GetSetupResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/setup', path: { projectId } },
      options,
    ),

  /**
   * The settings of a project's jobs.
   * @example
   * const { instructions } = await client.projects.settings(projectId)
   */
  settings: (projectId: string, options?: CallOptions) =>
    call<GetProjectSettingsData, GetProjectSettingsResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/settings', path: { projectId } },
      options,
    ),

  /**
   * Changes the settings of a project's jobs. Omitted fields are unchanged.
   * @example
   * await client.projects.changeSettings(projectId, { instructions: 'Write in the present tense.' })
   */
  changeSettings: (projectId: string, body: ChangeProjectSettingsData['body'], options?: CallOptions) =>
    call<ChangeProjectSettingsData, ChangeProjectSettingsResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}/settings', path: { projectId }, body },
      options,
    ),

  /**
   * Running turns stop within seconds and wait. New jobs wait, too. Safe to repeat.
   * @example
   * await client.projects.pause(projectId)
   */
  pause: (projectId: string, options?: CallOptions) =>
    call<PauseProjectData, PauseProjectResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/pause', path: { projectId } },
      options,
    ),

  /**
   * Lets the jobs of a paused project continue. Safe to repeat.
   * @example
   * await client.projects.resume(projectId)
   */
  resume: (projectId: string, options?: CallOptions) =>
    call<ResumeProjectData, ResumeProjectResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/resume', path: { projectId } },
      options,
    ),

  /**
   * The state of everything that the project depends on.
   * @example
   * const { components } = await client.projects.health(projectId)
   */
  health: (projectId: string, options?: CallOptions) =>
    call<GetProjectHealthData, GetProjectHealthResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/health', path: { projectId } },
      options,
    ),

  /**
   * Changes the name of a project.
   * @example
   * await client.projects.rename(projectId, { name: 'Handbook' })
   */
  rename: (projectId: string, body: RenameProjectData['body'], options?: CallOptions) =>
    call<RenameProjectData, RenameProjectResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}', path: { projectId }, body },
      options,
    ),

  /**
   * Deletes a project with everything that belongs to it. Cannot be undone. `name`: the exact name of the project.
   * @example
   * await client.projects.delete(projectId, 'Developer docs')
   */
  delete: (projectId: string, name: string, options?: CallOptions) =>
    call<DeleteProjectData, DeleteProjectResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}', path: { projectId }, query: { name } },
      options,
    ),
})
