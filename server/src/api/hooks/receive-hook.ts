/** Hints from the code host. Authentic ones make us look; what follows is read back from the host itself. */
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { GithubAppStore } from '../../github/app-store.ts'
import type { PullRequestStore } from '../../jobs/pull-request-store.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, isId } from '../../platform/ids.ts'
import type { HookDeliveryStore } from '../../projects/hook-delivery-store.ts'
import type { Repository, RepositoryStore } from '../../projects/repository-store.ts'
import { MinuteLimit } from '../minute-limit.ts'

type Hint =
  | { kind: 'pull_request'; repositoryId: number | null; number: number }
  | { kind: 'branches'; repositoryId: number | null; branches: readonly string[] }
  | { kind: 'repository'; repositoryId: number | null; installationId: number | null }

export type ReadHook = (
  host: Repository['host'],
  delivery: { headers: FastifyRequest['headers']; body: Uint8Array },
  secret: string,
) => { kind: 'not_authentic' } | { kind: 'ignored' } | Hint

export interface WebhookDeps {
  repositories: RepositoryStore
  pullRequests: PullRequestStore
  githubApps: GithubAppStore
  deliveries: HookDeliveryStore
  readHook: ReadHook
}

export function addHooks(server: HttpServer, deps: WebhookDeps): void {
  const { repositories, githubApps, deliveries, readHook } = deps
  // Only what is authentic counts: strangers cannot use up what is the host's.
  const ofApps = new MinuteLimit('deliveries of the App', 600)
  const ofProjects = new MinuteLimit('deliveries to the project', 120)
  server.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
    // A route that declares no body is not given one.
    const options = { config: { access: 'signature' }, schema: { body: Type.Unknown() } } as const

    scope.post('/v1/webhooks/:projectId', options, async (request, reply) => {
      const { projectId } = request.params as { projectId: string }
      const repository = isId('prj', projectId) ? await repositories.find(projectId) : undefined
      const body = bodyOf(request)
      const reading =
        repository && readHook(repository.host, { headers: request.headers, body }, repository.webhookSecret)
      if (!reading || reading.kind === 'not_authentic' || !isId('prj', projectId)) {
        throw new Problem('unauthenticated', 'The signature is not that of the connected repository.')
      }
      ofProjects.take(projectId)
      if (reading.kind !== 'ignored')
        await deliveries.take(projectId, body, (isNew) => note(deps, [projectId], reading, isNew))
      return reply.code(204).send()
    })

    /** Of Apps: one address for all repositories that they were let into. What is connected to no project is nobody's. */
    scope.post('/v1/webhooks/github', options, async (request, reply) => {
      const body = bodyOf(request)
      for (const { baseUrl, webhookSecret } of await githubApps.list()) {
        if (webhookSecret === null) continue
        const reading = readHook('github', { headers: request.headers, body }, webhookSecret)
        if (reading.kind === 'not_authentic') continue
        const projectIds = reading.kind === 'ignored' ? [] : await projectsMeant(repositories, baseUrl, reading)
        if (reading.kind !== 'ignored' && projectIds.length > 0) {
          ofApps.take(baseUrl) // what busy neighbours in the same organisation tell counts against nobody
          await deliveries.take(`app ${baseUrl}`, body, (isNew) => note(deps, projectIds, reading, isNew))
        }
        return reply.code(204).send()
      }
      throw new Problem('unauthenticated', 'The signature is that of no GitHub App of this installation.')
    })
  })
}

async function projectsMeant(repositories: RepositoryStore, baseUrl: string, hint: Hint): Promise<Id<'prj'>[]> {
  if (hint.repositoryId !== null) return repositories.projectsOf(baseUrl, { hostRepositoryId: hint.repositoryId })
  if (hint.kind === 'repository' && hint.installationId !== null)
    return repositories.projectsOf(baseUrl, { installationId: hint.installationId })
  return []
}

/**
 * A body that came before is a replay. Only what tells of an installation may be the same to the byte when the same thing
 * happens twice (tried: a repository taken from an App and given back); so that is looked at again, but not at anybody's bidding.
 */
const lookAgainWithinSeconds = 60

async function note(
  { pullRequests, repositories }: WebhookDeps,
  projectIds: readonly Id<'prj'>[],
  hint: Hint,
  isNew: boolean,
): Promise<void> {
  if (hint.kind === 'repository') return repositories.hintLook(projectIds, isNew ? 0 : lookAgainWithinSeconds)
  if (!isNew) return
  switch (hint.kind) {
    case 'pull_request':
      for (const projectId of projectIds) await pullRequests.hint(projectId, hint.number)
      return
    case 'branches':
      for (const projectId of projectIds) await pullRequests.hintBranches(projectId, hint.branches)
      return
  }
}

const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
