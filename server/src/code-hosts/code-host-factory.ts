import type { Egress } from '../platform/egress/egress.ts'
import type { CodeHost, ParseWebhook } from './code-host.ts'
import type { GiteaConnection } from './gitea/gitea-api.ts'
import { createGiteaHost } from './gitea/gitea-host.ts'
import { parseGiteaWebhook } from './gitea/parse-webhook.ts'
import type { GithubConnection } from './github/github-connection.ts'
import { createGithubHost } from './github/github-host.ts'
import { createInstallationTokenCache } from './github/installation-token-cache.ts'
import { parseGithubWebhook } from './github/parse-webhook.ts'

export type CodeHostConnection = ({ host: 'gitea' } & GiteaConnection) | ({ host: 'github' } & GithubConnection)

export type CodeHostFactory = (connection: CodeHostConnection) => CodeHost

/** Create it once and keep it: it caches the installation tokens that GitHub issues for an hour. */
export function createCodeHostFactory(egress: Egress): CodeHostFactory {
  const installationTokens = createInstallationTokenCache(egress)
  return (connection) => {
    switch (connection.host) {
      case 'gitea':
        return createGiteaHost(connection, egress)
      case 'github':
        return createGithubHost(connection, egress, installationTokens)
    }
  }
}

export const webhookParsers: Record<CodeHostConnection['host'], ParseWebhook> = {
  gitea: parseGiteaWebhook,
  github: parseGithubWebhook,
}
