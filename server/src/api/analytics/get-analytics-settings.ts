import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { AnalyticsSettingsSchema } from './analytics-settings.ts'

export function getAnalyticsSettingsRoute({ analyticsSettings }: { analyticsSettings: SettingsStore }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/settings',
    access: 'analytics:read',
    name: 'getAnalyticsSettings',
    tag: 'Page views',
    summary: 'Get analytics settings',
    description: 'Returns how the page views of the project are counted and how long they are kept.',
    schemas: { params: ProjectParams, responses: { 200: AnalyticsSettingsSchema } },
    handle: async ({ projectId }) => respond(200, (await analyticsSettings.read(projectId)).settings),
  })
}
