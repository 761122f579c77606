import type {
  AnalyticsSettings,
  ChangeAnalyticsSettingsData,
  ChangeLogDrainData,
  CreatedLogDrain,
  CreateLogDrainData,
  CreateSiteKeyData,
  CreateSiteKeyResponse,
  DeleteLogDrainData,
  DeleteLogDrainResponse,
  GetAnalyticsSettingsData,
  ListLogDrainsData,
  ListLogDrainsResponse,
  ListSiteKeysData,
  ListSiteKeysResponse,
  LogDrain,
  RevokeSiteKeyData,
  SiteKey,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type ViewSettingsCalls = ReturnType<typeof createViewSettingsCalls>

/** How a project's views are counted, its site keys, and its log drains. */
export const createViewSettingsCalls = (call: OperationCaller) => ({
  /**
   * How the views of a project are counted and kept.
   * @example
   * const { retentionMonths } = await client.views.settings(projectId)
   */
  settings: (projectId: string, options?: CallOptions) =>
    call<GetAnalyticsSettingsData, AnalyticsSettings>(
      'GET',
      { url: '/v1/analytics/{projectId}/settings', path: { projectId } },
      options,
    ),

  /**
   * Omitted fields are unchanged. A shorter `retentionMonths` permanently deletes older views.
   * @example
   * await client.views.changeSettings(projectId, { aiScope: 'assistants' })
   */
  changeSettings: (projectId: string, body: ChangeAnalyticsSettingsData['body'], options?: CallOptions) =>
    call<ChangeAnalyticsSettingsData, AnalyticsSettings>(
      'PATCH',
      { url: '/v1/analytics/{projectId}/settings', path: { projectId }, body },
      options,
    ),

  /**
   * The public keys that identify the site to Colophon in the page view script.
   * @example
   * const { siteKeys } = await client.views.siteKeys(projectId)
   */
  siteKeys: (projectId: string, options?: CallOptions) =>
    call<ListSiteKeysData, ListSiteKeysResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/site-keys', path: { projectId } },
      options,
    ),

  /**
   * Creates a site key. The first one of a project makes the script count humans, unless `humanSource` was set before.
   * @example
   * const created = await client.views.createSiteKey(projectId)
   */
  createSiteKey: (projectId: string, options?: CallOptions) =>
    call<CreateSiteKeyData, CreateSiteKeyResponse>(
      'POST',
      { url: '/v1/analytics/{projectId}/site-keys', path: { projectId } },
      options,
    ),

  /**
   * Makes a site key invalid. Safe to repeat.
   * @example
   * await client.views.revokeSiteKey(projectId, siteKey)
   */
  revokeSiteKey: (projectId: string, siteKey: string, options?: CallOptions) =>
    call<RevokeSiteKeyData, SiteKey>(
      'DELETE',
      { url: '/v1/analytics/{projectId}/site-keys/{siteKey}', path: { projectId, siteKey } },
      options,
    ),

  /**
   * The URLs that hosts and CDNs send the access logs of the site to.
   * @example
   * const { logDrains } = await client.views.logDrains(projectId)
   */
  logDrains: (projectId: string, options?: CallOptions) =>
    call<ListLogDrainsData, ListLogDrainsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/log-drains', path: { projectId } },
      options,
    ),

  /**
   * Creates a URL for the access logs of a host or CDN. Only this response contains the secret.
   * @example
   * const { logDrain, secret } = await client.views.createLogDrain(projectId, { name: 'Docs', format: 'vercel' })
   */
  createLogDrain: (projectId: string, body: CreateLogDrainData['body'], options?: CallOptions) =>
    call<CreateLogDrainData, CreatedLogDrain>(
      'POST',
      { url: '/v1/analytics/{projectId}/log-drains', path: { projectId }, body },
      options,
    ),

  /**
   * Omitted fields are unchanged.
   * @example
   * await client.views.changeLogDrain(projectId, logDrainId, { host: 'docs.example.com' })
   */
  changeLogDrain: (projectId: string, logDrainId: string, body: ChangeLogDrainData['body'], options?: CallOptions) =>
    call<ChangeLogDrainData, LogDrain>(
      'PATCH',
      { url: '/v1/analytics/{projectId}/log-drains/{logDrainId}', path: { projectId, logDrainId }, body },
      options,
    ),

  /**
   * Logs that arrive afterwards are refused. Returns the remaining log drains.
   * @example
   * await client.views.deleteLogDrain(projectId, logDrainId)
   */
  deleteLogDrain: (projectId: string, logDrainId: string, options?: CallOptions) =>
    call<DeleteLogDrainData, DeleteLogDrainResponse>(
      'DELETE',
      { url: '/v1/analytics/{projectId}/log-drains/{logDrainId}', path: { projectId, logDrainId } },
      options,
    ),
})
