import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { AnalyticsSettingsSchema } from './analytics-settings.ts'

export function getAnalyticsSettingsRoute({ analyticsSettings }: { analyticsSettings: AnalyticsSettingsStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/settings',
    access: 'analytics:read',
    name: 'getAnalyticsSettings',
    tag: 'Page views',
    summary: 'Get analytics settings',
    description: 'Returns how the page views of the project are counted and how long they are kept.',
    schemas: { params: ProjectParams, responses: { 200: AnalyticsSettingsSchema } },
    handle: async ({ projectId }) => createResponse(200, (await analyticsSettings.read(projectId)).settings),
  })
}
