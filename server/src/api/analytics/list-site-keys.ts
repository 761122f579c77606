import Type from 'typebox'
import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toSiteKeyResponse } from './site-key.ts'

export function listSiteKeysRoute({ analyticsSettings }: { analyticsSettings: AnalyticsSettingsStore }): Route {
  return defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/site-keys',
    access: 'analytics:read',
    name: 'listSiteKeys',
    tag: 'Page views',
    summary: 'List site keys',
    description: 'Returns the site keys of the project, oldest first, without revoked keys.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({ siteKeys: Type.Array(SiteKeySchema, { description: 'Site keys, oldest first.' }) }),
      },
    },
    handle: async ({ projectId }) =>
      createResponse(200, { siteKeys: (await analyticsSettings.listSiteKeys(projectId)).map(toSiteKeyResponse) }),
  })
}
