import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toResponse } from './site-key.ts'

export function createSiteKeyRoute({ analyticsSettings }: { analyticsSettings: SettingsStore }): Route {
  return route({
    method: 'POST',
    url: '/v1/analytics/:projectId/site-keys',
    access: 'project:write',
    name: 'createSiteKey',
    tag: 'Page views',
    summary: 'Make a site key for the browser script',
    schemas: { params: ProjectParams, responses: { 201: SiteKeySchema } },
    handle: async ({ projectId, actor }) =>
      respond(201, toResponse(await analyticsSettings.createSiteKey(projectId, actor))),
  })
}
