import type {
  AnalyticsSettings,
  ChangeAnalyticsSettingsData,
  CreateSiteKeyData,
  GetAnalyticsSettingsData,
  ListSiteKeysData,
  ListSiteKeysResponse,
  RevokeSiteKeyData,
  SiteKey,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type ViewSettings = ReturnType<typeof viewSettings>

/** How a project's views are counted, and by which keys the script is known. */
export const viewSettings = (call: CallOperation) => ({
  settings: (projectId: string, options?: CallOptions) =>
    call<GetAnalyticsSettingsData, AnalyticsSettings>(
      'GET',
      { url: '/v1/analytics/{projectId}/settings', path: { projectId } },
      options,
    ),

  /** What is left out stays. Views beyond a shorter `retentionMonths` are deleted for good. */
  changeSettings: (projectId: string, body: ChangeAnalyticsSettingsData['body'], options?: CallOptions) =>
    call<ChangeAnalyticsSettingsData, AnalyticsSettings>(
      'PATCH',
      { url: '/v1/analytics/{projectId}/settings', path: { projectId }, body },
      options,
    ),

  /** By which the browser script is known. Public. */
  siteKeys: (projectId: string, options?: CallOptions) =>
    call<ListSiteKeysData, ListSiteKeysResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/site-keys', path: { projectId } },
      options,
    ),

  createSiteKey: (projectId: string, options?: CallOptions) =>
    call<CreateSiteKeyData, SiteKey>(
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
