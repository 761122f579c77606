import Type from 'typebox'
import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toSiteKeyResponse } from './site-key.ts'

export function listSiteKeysRoute({ analyticsSettings }: { analyticsSettings: SettingsStore }): Route {
  return route({
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
      respond(200, { siteKeys: (await analyticsSettings.listSiteKeys(projectId)).map(toSiteKeyResponse) }),
  })
}
