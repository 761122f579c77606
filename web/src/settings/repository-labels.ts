import type { Repository } from '@colophon/sdk'

export function describeRepositoryConnection({
  host,
  access,
  url,
}: Pick<Repository, 'host' | 'access' | 'url'>): string {
  const hostName = url.replace(/^https?:\/\//, '')
  if (host === 'gitea') return `Gitea or Forgejo at ${hostName}, with an access token`
  return access === 'app'
    ? `GitHub at ${hostName}, through the GitHub App`
    : `GitHub at ${hostName}, with a fine-grained token`
}

export const repositoryIssueLabels: Readonly<Record<NonNullable<Repository['issue']>['code'], string>> = {
  archived: 'The repository is archived',
  not_found: 'The repository was not found',
  access_revoked: 'Colophon lost access to the repository',
}
