import Type from 'typebox'
import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { IdParam, ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toSiteKeyResponse } from './site-key.ts'

export function revokeSiteKeyRoute({
  analyticsSettings,
  siteCache,
}: {
  analyticsSettings: AnalyticsSettingsStore
  siteCache: AnalyticsSiteCache
}): Route {
  return defineRoute({
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
      return createResponse(200, toSiteKeyResponse(revoked))
    },
  })
}
