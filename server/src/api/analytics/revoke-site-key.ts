import Type from 'typebox'
import type { KnownSites } from '../../analytics/settings/known-sites.ts'
import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import { type Route, respond, route } from '../route.ts'
import { idParam, ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toResponse } from './site-key.ts'

export function revokeSiteKeyRoute({
  analyticsSettings,
  knownSites,
}: {
  analyticsSettings: SettingsStore
  knownSites: KnownSites
}): Route {
  return route({
    method: 'DELETE',
    url: '/v1/analytics/:projectId/site-keys/:siteKey',
    access: 'project:write',
    name: 'revokeSiteKey',
    tag: 'Page views',
    summary: 'Revoke a site key',
    description: 'Holds within seconds. What was counted by it stays. Revoking it again changes nothing.',
    schemas: {
      params: Type.Object({ ...ProjectParams.properties, siteKey: idParam('The site key, `site_…`.') }),
      responses: { 200: SiteKeySchema },
    },
    async handle({ projectId, params, actor }) {
      const revoked = await analyticsSettings.revokeSiteKey(projectId, params.siteKey, actor)
      knownSites.forget()
      return respond(200, toResponse(revoked))
    },
  })
}
