import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSettings, readSettings, type SettingsDeps } from './project-settings.ts'

export function getSettingsRoute(deps: SettingsDeps): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/settings',
    access: 'project:read',
    name: 'getProjectSettings',
    tag: 'Projects',
    summary: 'How jobs of a project are worked on',
    schemas: { params: ProjectParams, responses: { 200: ProjectSettings } },
    handle: async ({ projectId }) => respond(200, await readSettings(deps, projectId)),
  })
}
