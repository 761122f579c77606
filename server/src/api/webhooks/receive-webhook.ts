/** Webhooks from the code host. An authentic delivery only requests a poll; the state itself is read from the code host. */
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import type { PullRequestStore } from '../../jobs/pull-request-store.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, isId } from '../../platform/ids.ts'
import type { Repository, RepositoryStore } from '../../projects/repository-store.ts'
import type { WebhookDeliveryStore } from '../../projects/webhook-delivery-store.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'

type WebhookHint =
  | { kind: 'pull_request'; repositoryId: number | null; number: number }
  | { kind: 'branches'; repositoryId: number | null; branches: readonly string[] }
  | { kind: 'repository'; repositoryId: number | null; installationId: number | null }

export type ReadWebhook = (
  host: Repository['host'],
  delivery: { headers: FastifyRequest['headers']; body: Uint8Array },
  secret: string,
) => { kind: 'not_authentic' } | { kind: 'ignored' } | WebhookHint

export interface WebhookDeps {
  repositories: RepositoryStore
  pullRequests: PullRequestStore
  githubApps: GithubAppStore
  deliveries: WebhookDeliveryStore
  readWebhook: ReadWebhook
}

export function addWebhooks(server: HttpServer, deps: WebhookDeps): void {
  const { repositories, githubApps, deliveries, readWebhook } = deps
  // Only authentic deliveries count, so that strangers cannot use up the rate limit of the code host.
  const projectLimit = new MinuteRateLimit('deliveries to the project', 120)
  server.register(async (child) => {
    // The signature covers the bytes as received, so the body is not parsed.
    child.removeAllContentTypeParsers()
    child.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
    // A route gets a body only if it declares one.
    const options = { config: { access: 'signature' }, schema: { body: Type.Unknown() } } as const

    child.post('/v1/webhooks/:projectId', options, async (request, reply) => {
      const { projectId } = request.params as { projectId: string }
      const repository = isId('prj', projectId) ? await repositories.find(projectId) : undefined
      const body = bodyOf(request)
      const webhook =
        repository && readWebhook(repository.host, { headers: request.headers, body }, repository.webhookSecret)
      if (!webhook || webhook.kind === 'not_authentic' || !isId('prj', projectId)) {
        throw new Problem(
          'unauthenticated',
          'The signature does not match the webhook secret of the connected repository.',
        )
      }
      projectLimit.consume(projectId)
      if (webhook.kind !== 'ignored')
        await deliveries.process(projectId, body, (isNew) => requestPolls(deps, [projectId], webhook, isNew))
      return reply.code(204).send()
    })

    /** A GitHub App has one webhook URL for all repositories that it is installed in. Those of no project are ignored. */
    child.post('/v1/webhooks/github', options, async (request, reply) => {
      const body = bodyOf(request)
      for (const { baseUrl, webhookSecret } of await githubApps.list()) {
        if (webhookSecret === null) continue
        const webhook = readWebhook('github', { headers: request.headers, body }, webhookSecret)
        if (webhook.kind === 'not_authentic') continue
        const projectIds = webhook.kind === 'ignored' ? [] : await findProjects(repositories, baseUrl, webhook)
        if (webhook.kind !== 'ignored' && projectIds.length > 0) {
          // By project: GitHub does not repeat a delivery, so that one busy repository would cost the others theirs.
          for (const projectId of projectIds) projectLimit.consume(projectId)
          await deliveries.process(`app ${baseUrl}`, body, (isNew) => requestPolls(deps, projectIds, webhook, isNew))
        }
        return reply.code(204).send()
      }
      throw new Problem(
        'unauthenticated',
        'The signature does not match the webhook secret of any GitHub App of this instance.',
      )
    })
  })
}

async function findProjects(repositories: RepositoryStore, baseUrl: string, hint: WebhookHint): Promise<Id<'prj'>[]> {
  if (hint.repositoryId !== null) return repositories.findProjects(baseUrl, { hostRepositoryId: hint.repositoryId })
  if (hint.kind === 'repository' && hint.installationId !== null)
    return repositories.findProjects(baseUrl, { installationId: hint.installationId })
  return []
}

/**
 * A body that was received before is a replay. Only deliveries about an installation can be identical when the same thing
 * happens twice (tried: a repository removed from an App and added again). They are polled again, but with a delay, so that
 * replays cannot cause polls at will.
 */
const replayedPollDelaySeconds = 60

async function requestPolls(
  { pullRequests, repositories }: WebhookDeps,
  projectIds: readonly Id<'prj'>[],
  hint: WebhookHint,
  isNew: boolean,
): Promise<void> {
  if (hint.kind === 'repository') return repositories.requestPoll(projectIds, isNew ? 0 : replayedPollDelaySeconds)
  if (!isNew) return
  switch (hint.kind) {
    case 'pull_request':
      for (const projectId of projectIds) await pullRequests.requestPoll(projectId, hint.number)
      return
    case 'branches':
      for (const projectId of projectIds) await pullRequests.requestBranchPolls(projectId, hint.branches)
      return
  }
}

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
