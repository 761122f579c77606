import Type from 'typebox'
import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { SiteKeySchema, toSiteKeyResponse } from './site-key.ts'

const CreatedSiteKey = Type.Object(
  {
    ...SiteKeySchema.properties,
    humanSourceSwitched: Type.Boolean({
      description:
        'Whether creating this key changed `humanSource` from `servers` to `script`. The first site key of a project does, unless you have set `humanSource` before.',
    }),
  },
  { $id: 'CreatedSiteKey', description: 'A new site key.' },
)

export function createSiteKeyRoute({
  analyticsSettings,
  siteCache,
}: {
  analyticsSettings: AnalyticsSettingsStore
  siteCache: AnalyticsSiteCache
}): Route {
  return defineRoute({
    method: 'POST',
    url: '/v1/analytics/:projectId/site-keys',
    access: 'project:write',
    name: 'createSiteKey',
    tag: 'Page views',
    summary: 'Create a site key',
    description:
      'Creates a public key for the script tag on your site. A project can have several. From the first site key on, humans are counted by the script instead of by servers, unless you have set `humanSource` before.',
    schemas: { params: ProjectParams, responses: { 201: CreatedSiteKey } },
    async handle({ projectId, actor }) {
      const created = await analyticsSettings.createSiteKey(projectId, actor)
      if (created.switchedHumanSource) siteCache.clear()
      return createResponse(201, { ...toSiteKeyResponse(created), humanSourceSwitched: created.switchedHumanSource })
    },
  })
}
