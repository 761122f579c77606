import type { CommitId, HostCheck, HostChecks } from '../code-host.ts'
import { asLink, previewOfChecks } from '../preview-of-checks.ts'
import { GiteaStatuses } from './gitea-answers.ts'
import type { GiteaApi } from './gitea-api.ts'

/** The last status of each context. Gitea knows no deployments. */
export async function readGiteaChecks(api: GiteaApi, hostUrl: string, commit: CommitId): Promise<HostChecks> {
  const { statuses } = await api.call('GET', `/commits/${commit}/status?limit=50`, GiteaStatuses)
  const checks = (statuses ?? []).map(
    ({ id, status, context, description, target_url: url }): HostCheck => ({
      id: String(id),
      name: context,
      status: stateOf(status),
      url: asLink(url),
      summary: description || null,
    }),
  )
  return { checks, previewUrl: previewOfChecks(checks, hostUrl) }
}

function stateOf(status: string): HostCheck['status'] {
  if (status === 'pending') return 'pending'
  return status === 'error' || status === 'failure' ? 'failed' : 'passed'
}
