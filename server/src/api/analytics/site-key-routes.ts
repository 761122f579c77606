import Type, { type Static } from 'typebox'
import type { AnalyticsSettingsStore, SiteKey } from '../../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { DateTime, IdParam, ProjectParams } from '../schemas.ts'

const SiteKeySchema = Type.Object(
  {
    key: Type.String({
      description: 'The key in the script tag. It is public: it can submit human page views and read nothing.',
      examples: ['site_0123456789abcdef01234567'],
    }),
    createdAt: DateTime('Time at which the site key was created.'),
  },
  { $id: 'SiteKey', description: 'A public key that identifies your site to the script.' },
)

const toSiteKeyResponse = ({ key, createdAt }: SiteKey): Static<typeof SiteKeySchema> => ({
  key,
  createdAt: createdAt.toISOString(),
})

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

interface SiteKeyRouteDeps {
  analyticsSettings: AnalyticsSettingsStore
  siteCache: AnalyticsSiteCache
}

export const siteKeyRoutes = ({ analyticsSettings, siteCache }: SiteKeyRouteDeps): Route[] => [
  defineRoute({
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
  }),
  defineRoute({
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
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v1/analytics/:projectId/site-keys/:siteKey',
    access: 'project:write',
    name: 'revokeSiteKey',
    tag: 'Page views',
    summary: 'Revoke a site key',
    description:
      'Takes effect within a minute. Page views that were collected with the key are kept. Revoking a key again has no effect.',
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
  }),
]
