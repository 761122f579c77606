import Type from 'typebox'
import type { SettingsStore } from '../../analytics/settings/settings-store.ts'
import { answer, type Route, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { asAnswer, SiteKeySchema } from './site-key.ts'

export function listSiteKeysRoute({ analyticsSettings }: { analyticsSettings: SettingsStore }): Route {
  return route({
    method: 'GET',
    url: '/v1/analytics/:projectId/site-keys',
    access: 'analytics:read',
    name: 'listSiteKeys',
    tag: 'Page views',
    summary: 'The site keys of a project',
    description: 'Oldest first, without revoked ones.',
    schemas: { params: ProjectParams, answers: { 200: Type.Object({ siteKeys: Type.Array(SiteKeySchema) }) } },
    handle: async ({ projectId }) =>
      answer(200, { siteKeys: (await analyticsSettings.listSiteKeys(projectId)).map(asAnswer) }),
  })
}
