import type { KnownSites } from '../../analytics/settings/known-sites.ts'
import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { AnalyticsChanges, AnalyticsSettingsSchema } from './analytics-settings.ts'

export function changeAnalyticsSettingsRoute({
  analyticsSettings,
  knownSites,
}: {
  analyticsSettings: SettingsStore
  knownSites: KnownSites
}): Route {
  return route({
    method: 'PATCH',
    url: '/v1/analytics/:projectId/settings',
    access: 'project:write',
    name: 'changeAnalyticsSettings',
    tag: 'Page views',
    summary: 'Change how page views are counted',
    description:
      'What is left out stays. Holds within seconds, where there are several replicas. Views beyond a ' +
      'shorter `retentionMonths` are deleted for good.',
    schemas: { params: ProjectParams, body: AnalyticsChanges, responses: { 200: AnalyticsSettingsSchema } },
    async handle({ projectId, body, actor }) {
      const errors = (body.allowedOrigins ?? []).flatMap((origin, index): FieldError[] =>
        URL.canParse(origin) && new URL(origin).origin === origin
          ? []
          : [
              {
                path: `body/allowedOrigins/${index}`,
                message: 'is not as a browser writes it, like https://docs.example.com',
              },
            ],
      )
      const [first] = errors
      if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
      const changed = await analyticsSettings.change(projectId, body, actor)
      knownSites.forget()
      return respond(200, changed)
    },
  })
}
