import { type Egress, withSharedLimits } from '../platform/egress/egress.ts'
import type { CodeHost, ParseWebhook } from './code-host.ts'
import type { GiteaConnection } from './gitea/gitea-api.ts'
import { createGiteaHost } from './gitea/gitea-host.ts'
import { parseGiteaWebhook } from './gitea/parse-webhook.ts'
import type { GithubConnection } from './github/github-connection.ts'
import { createGithubHost } from './github/github-host.ts'
import { createInstallationTokenCache } from './github/installation-token-cache.ts'
import { parseGithubWebhook } from './github/parse-webhook.ts'

export type CodeHostConnection = ({ host: 'gitea' } & GiteaConnection) | ({ host: 'github' } & GithubConnection)

/** A hostile code host may return a hundred large pages of comments. */
const maxTotalBytes = 32 * 1024 * 1024

/** `signal` aborts calls in progress and prevents further ones, and all calls together have a maximum size. */
export type CodeHostFactory = (connection: CodeHostConnection, signal?: AbortSignal) => CodeHost

/** Create it once and keep it: it caches the installation tokens that GitHub issues for an hour. */
export function createCodeHostFactory(egress: Egress): CodeHostFactory {
  const installationTokens = createInstallationTokenCache(egress)
  return (connection, signal) => {
    const calls = signal ? withSharedLimits(egress, { signal, maxTotalBytes }) : egress
    switch (connection.host) {
      case 'gitea':
        return createGiteaHost(connection, calls)
      case 'github':
        return createGithubHost(connection, calls, installationTokens)
    }
  }
}

export const webhookParsers: Record<CodeHostConnection['host'], ParseWebhook> = {
  gitea: parseGiteaWebhook,
  github: parseGithubWebhook,
}
