import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSettingsSchema, readSettings, type SettingsDeps } from './project-settings.ts'

export function getSettingsRoute(deps: SettingsDeps): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/settings',
    access: 'project:read',
    name: 'getProjectSettings',
    tag: 'Projects',
    summary: 'Get project settings',
    description: 'Returns the settings of the jobs of a project, and how much of its budget is used.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSettingsSchema } },
    handle: async ({ projectId }) => createResponse(200, await readSettings(deps, projectId)),
  })
}
