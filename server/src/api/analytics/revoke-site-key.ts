import Type from 'typebox'
import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import type { SiteCache } from '../../analytics/settings/site-cache.ts'
import { type Route, respond, route } from '../route.ts'
import { IdParam, ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toSiteKeyResponse } from './site-key.ts'

export function revokeSiteKeyRoute({
  analyticsSettings,
  siteCache,
}: {
  analyticsSettings: SettingsStore
  siteCache: SiteCache
}): Route {
  return route({
    method: 'DELETE',
    url: '/v1/analytics/:projectId/site-keys/:siteKey',
    access: 'project:write',
    name: 'revokeSiteKey',
    tag: 'Page views',
    summary: 'Revoke a site key',
    description:
      'Takes effect within seconds. Page views that were collected with the key are kept. Revoking a key again has no effect.',
    schemas: {
      params: Type.Object({
        ...ProjectParams.properties,
        siteKey: IdParam('The site key.', 'site_0123456789abcdef01234567'),
      }),
      responses: { 200: SiteKeySchema },
    },
    async handle({ projectId, params, actor }) {
      const revoked = await analyticsSettings.revokeSiteKey(projectId, params.siteKey, actor)
      siteCache.clear()
      return respond(200, toSiteKeyResponse(revoked))
    },
  })
}
