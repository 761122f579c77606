import type { CommitChecks, CommitId, HostCiCheck } from '../code-host.ts'
import { findPreviewUrl, toLinkUrl } from '../preview-url.ts'
import type { GiteaApi } from './gitea-api.ts'
import { GiteaStatuses } from './gitea-schemas.ts'

/** Reads the last status of each context. Gitea has no deployments. */
export async function readGiteaChecks(api: GiteaApi, hostUrl: string, commit: CommitId): Promise<CommitChecks> {
  const { statuses } = await api.call('GET', `/commits/${commit}/status?limit=50`, GiteaStatuses)
  const checks = (statuses ?? []).map(
    ({ id, status, context, description, target_url: url }): HostCiCheck => ({
      id: String(id),
      name: context,
      status: toCheckStatus(status),
      url: toLinkUrl(url),
      summary: description || null,
    }),
  )
  return { checks, previewUrl: findPreviewUrl(checks, hostUrl) }
}

function toCheckStatus(status: string): HostCiCheck['status'] {
  if (status === 'pending') return 'pending'
  return status === 'error' || status === 'failure' ? 'failed' : 'passed'
}
