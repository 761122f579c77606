import type { Egress } from '../platform/egress/egress.ts'
import type { CodeHost, ReadWebhook } from './code-host.ts'
import type { GiteaConnection } from './gitea/gitea-api.ts'
import { createGiteaHost } from './gitea/gitea-host.ts'
import { readGiteaWebhook } from './gitea/read-webhook.ts'

export type CodeHostConnection = { host: 'gitea' } & GiteaConnection

export function openCodeHost(connection: CodeHostConnection, egress: Egress): CodeHost {
  switch (connection.host) {
    case 'gitea':
      return createGiteaHost(connection, egress)
  }
}

export const webhookReaders: Record<CodeHostConnection['host'], ReadWebhook> = { gitea: readGiteaWebhook }
