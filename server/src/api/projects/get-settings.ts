import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSettings, readSettings, type SettingsParts } from './project-settings.ts'

export function getSettingsRoute(parts: SettingsParts): Route {
  return route({
    method: 'GET',
    url: '/v2/projects/:projectId/settings',
    access: 'project:read',
    name: 'getProjectSettings',
    tag: 'Projects',
    summary: 'How jobs of a project are worked on',
    schemas: { params: ProjectParams, answers: { 200: ProjectSettings } },
    handle: async ({ projectId }) => answer(200, await readSettings(parts, projectId)),
  })
}
