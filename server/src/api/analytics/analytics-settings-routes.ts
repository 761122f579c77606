import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { requireRecentSignInOf } from '../authenticate-session.ts'
import { isShorterRetention } from '../retention.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { AnalyticsSettingsChanges, AnalyticsSettingsSchema } from './analytics-settings.ts'

interface AnalyticsSettingsRouteDeps {
  analyticsSettings: AnalyticsSettingsStore
  siteCache: AnalyticsSiteCache
}

export const analyticsSettingsRoutes = ({ analyticsSettings, siteCache }: AnalyticsSettingsRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v1/analytics/:projectId/settings',
    access: 'analytics:read',
    name: 'getAnalyticsSettings',
    tag: 'Page views',
    summary: 'Get analytics settings',
    description: 'Returns how the page views of the project are counted and how long they are kept.',
    schemas: { params: ProjectParams, responses: { 200: AnalyticsSettingsSchema } },
    handle: async ({ projectId }) => createResponse(200, (await analyticsSettings.read(projectId)).settings),
  }),
  defineRoute({
    method: 'PATCH',
    url: '/v1/analytics/:projectId/settings',
    access: 'project:write',
    name: 'changeAnalyticsSettings',
    tag: 'Page views',
    summary: 'Change analytics settings',
    description:
      'Omitted fields are unchanged. Changes take effect within a minute on all replicas. A shorter `retentionMonths` ' +
      'permanently deletes older page views; a person needs a recent sign-in for it.',
    schemas: { params: ProjectParams, body: AnalyticsSettingsChanges, responses: { 200: AnalyticsSettingsSchema } },
    problems: ['reauthentication_required'],
    async handle({ projectId, body, caller, actor }) {
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
      const { settings } = await analyticsSettings.read(projectId)
      if (isShorterRetention(body.retentionMonths, settings.retentionMonths)) requireRecentSignInOf(caller)
      const changed = await analyticsSettings.change(projectId, body, actor)
      siteCache.clear()
      return createResponse(200, changed)
    },
  }),
]
