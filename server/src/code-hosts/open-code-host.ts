import type { Egress } from '../platform/egress/egress.ts'
import type { CodeHost, ReadWebhook } from './code-host.ts'
import type { GiteaConnection } from './gitea/gitea-api.ts'
import { createGiteaHost } from './gitea/gitea-host.ts'
import { readGiteaWebhook } from './gitea/read-webhook.ts'
import type { GithubConnection } from './github/github-connection.ts'
import { createGithubHost } from './github/github-host.ts'
import { createInstallationTokens } from './github/installation-tokens.ts'
import { readGithubWebhook } from './github/read-webhook.ts'

export type CodeHostConnection = ({ host: 'gitea' } & GiteaConnection) | ({ host: 'github' } & GithubConnection)

export type OpenCodeHost = (connection: CodeHostConnection) => CodeHost

/** What it returns is to be kept: it remembers the tokens that hosts gave for an hour. */
export function createOpenCodeHost(egress: Egress): OpenCodeHost {
  const installationTokens = createInstallationTokens(egress)
  return (connection) => {
    switch (connection.host) {
      case 'gitea':
        return createGiteaHost(connection, egress)
      case 'github':
        return createGithubHost(connection, egress, installationTokens)
    }
  }
}

export const webhookReaders: Record<CodeHostConnection['host'], ReadWebhook> = {
  gitea: readGiteaWebhook,
  github: readGithubWebhook,
}
