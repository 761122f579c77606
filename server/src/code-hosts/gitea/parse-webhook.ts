import Value from 'typebox/value'
import type { ParseWebhook } from '../code-host.ts'
import { parseJson } from '../json-api.ts'
import { decodeWebhookBody, hasValidWebhookSignature } from '../webhook-signature.ts'
import { GiteaCommentEvent, GiteaPullRequestEvent, GiteaRepositoryEvent } from './gitea-schemas.ts'

export const parseGiteaWebhook: ParseWebhook = (delivery, secret) => {
  const { headers, body } = delivery
  if (!hasValidWebhookSignature(secret, body, headers['x-gitea-signature'])) return { kind: 'not_authentic' }
  const event = parseJson(decodeWebhookBody(delivery))
  switch (headers['x-gitea-event']) {
    case 'pull_request':
      if (!Value.Check(GiteaPullRequestEvent, event)) break
      return { kind: 'pull_request', repositoryId: event.repository.id, number: event.number }
    case 'issue_comment':
      if (!Value.Check(GiteaCommentEvent, event)) break
      return { kind: 'pull_request', repositoryId: event.repository.id, number: event.issue.number }
    case 'repository':
      if (!Value.Check(GiteaRepositoryEvent, event)) break
      return { kind: 'repository', repositoryId: event.repository.id, installationId: null }
  }
  return { kind: 'ignored' }
}
