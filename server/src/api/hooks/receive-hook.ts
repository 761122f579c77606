/** Hints from the code host. Authentic ones make us look; what follows is read back from the host itself. */
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { PullRequestStore } from '../../jobs/pull-request-store.ts'
import type { HttpServer } from '../../platform/http/http-server.ts'
import { Problem } from '../../platform/http/problem.ts'
import { isId } from '../../platform/ids.ts'
import type { Repository, RepositoryStore } from '../../projects/repository-store.ts'

export type ReadHook = (
  host: Repository['host'],
  delivery: { headers: FastifyRequest['headers']; body: Uint8Array },
  secret: string,
) => { kind: 'not_authentic' } | { kind: 'ignored' } | { kind: 'pull_request'; number: number }

export interface HookParts {
  repositories: RepositoryStore
  pullRequests: PullRequestStore
  readHook: ReadHook
}

export function addHooks(server: HttpServer, { repositories, pullRequests, readHook }: HookParts): void {
  server.register(async (scope) => {
    // The signature is over the bytes as they came.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
    // A route that declares no body is not given one.
    const options = { config: { access: 'signature' }, schema: { body: Type.Unknown() } } as const
    scope.post('/v1/hooks/:projectId', options, async (request, reply) => {
      const { projectId } = request.params as { projectId: string }
      const repository = isId('prj', projectId) ? await repositories.find(projectId) : undefined
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const reading =
        repository && readHook(repository.host, { headers: request.headers, body }, repository.webhookSecret)
      if (!reading || reading.kind === 'not_authentic' || !isId('prj', projectId)) {
        throw new Problem('unauthenticated', 'The signature is not that of the connected repository.')
      }
      if (reading.kind === 'pull_request') await pullRequests.hint(projectId, reading.number)
      return reply.code(204).send()
    })
  })
}
