import type {
  AnalyticsSettings,
  ChangeAnalyticsSettingsData,
  CreateSiteKeyData,
  CreateSiteKeyResponse,
  GetAnalyticsSettingsData,
  ListSiteKeysData,
  ListSiteKeysResponse,
  RevokeSiteKeyData,
  SiteKey,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type ViewSettingsCalls = ReturnType<typeof createViewSettingsCalls>

/** How a project's views are counted, and its site keys. */
export const createViewSettingsCalls = (call: OperationCaller) => ({
  settings: (projectId: string, options?: CallOptions) =>
    call<GetAnalyticsSettingsData, AnalyticsSettings>(
      'GET',
      { url: '/v1/analytics/{projectId}/settings', path: { projectId } },
      options,
    ),

  /** Omitted fields are unchanged. A shorter `retentionMonths` permanently deletes older views. */
  changeSettings: (projectId: string, body: ChangeAnalyticsSettingsData['body'], options?: CallOptions) =>
    call<ChangeAnalyticsSettingsData, AnalyticsSettings>(
      'PATCH',
      { url: '/v1/analytics/{projectId}/settings', path: { projectId }, body },
      options,
    ),

  /** The public keys that identify the site to Colophon in the page view script. */
  siteKeys: (projectId: string, options?: CallOptions) =>
    call<ListSiteKeysData, ListSiteKeysResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/site-keys', path: { projectId } },
      options,
    ),

  /** The first site key of a project makes the script count humans, unless `humanSource` was set before. */
  createSiteKey: (projectId: string, options?: CallOptions) =>
    call<CreateSiteKeyData, CreateSiteKeyResponse>(
      'POST',
      { url: '/v1/analytics/{projectId}/site-keys', path: { projectId } },
      options,
    ),

  /** Safe to repeat. */
  revokeSiteKey: (projectId: string, siteKey: string, options?: CallOptions) =>
    call<RevokeSiteKeyData, SiteKey>(
      'DELETE',
      { url: '/v1/analytics/{projectId}/site-keys/{siteKey}', path: { projectId, siteKey } },
      options,
    ),
})
