import type { Repository } from '@colophon/sdk'

export function hostWords({ host, access, url }: Pick<Repository, 'host' | 'access' | 'url'>): string {
  const where = url.replace(/^https?:\/\//, '')
  if (host === 'gitea') return `Gitea or Forgejo at ${where}, with a token`
  return access === 'app'
    ? `GitHub at ${where}, through the GitHub App`
    : `GitHub at ${where}, with a fine-grained token`
}

export const repositoryIssueLabels: Readonly<Record<NonNullable<Repository['issue']>['code'], string>> = {
  archived: 'The repository is archived',
  not_found: 'The repository is gone',
  access_revoked: 'Colophon is no longer let in',
}
