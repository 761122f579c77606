import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import type { SiteCache } from '../../analytics/settings/site-cache.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { AnalyticsChanges, AnalyticsSettingsSchema } from './analytics-settings.ts'

export function changeAnalyticsSettingsRoute({
  analyticsSettings,
  siteCache,
}: {
  analyticsSettings: SettingsStore
  siteCache: SiteCache
}): Route {
  return route({
    method: 'PATCH',
    url: '/v1/analytics/:projectId/settings',
    access: 'project:write',
    name: 'changeAnalyticsSettings',
    tag: 'Page views',
    summary: 'Change analytics settings',
    description:
      'Omitted fields are unchanged. Changes take effect within seconds on all replicas. A shorter `retentionMonths` ' +
      'permanently deletes older page views.',
    schemas: { params: ProjectParams, body: AnalyticsChanges, responses: { 200: AnalyticsSettingsSchema } },
    async handle({ projectId, body, actor }) {
      const errors = (body.allowedOrigins ?? []).flatMap((origin, index): FieldError[] =>
        URL.canParse(origin) && new URL(origin).origin === origin
          ? []
          : [
              {
                path: `body/allowedOrigins/${index}`,
                message: 'must be an origin as browsers send it, for example https://docs.example.com',
              },
            ],
      )
      const [first] = errors
      if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
      const changed = await analyticsSettings.change(projectId, body, actor)
      siteCache.clear()
      return respond(200, changed)
    },
  })
}
