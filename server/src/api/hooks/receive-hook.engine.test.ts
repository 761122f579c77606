import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createMigratedScope, type MigratedScope } from '../../../../engines/migrated-scope.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import { webhookReaders } from '../../code-hosts/open-code-host.ts'
import { PullRequestStore } from '../../jobs/pull-request-store.ts'
import { createHttpServer, type HttpServer } from '../../platform/http/http-server.ts'
import { addJsonBody } from '../../platform/http/json-body.ts'
import type { Id } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'
import { CredentialStore } from '../../projects/credential-store.ts'
import { addHooks } from './receive-hook.ts'

const operator = { kind: 'operator' } as const
let scope: MigratedScope
let server: HttpServer
let projectId: Id<'prj'>

beforeAll(async () => {
  scope = await createMigratedScope(inject('engines'), 'hooks')
  const parsed = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!parsed.ok) throw new Error(parsed.mistakes.join())
  projectId = (await scope.stores.projects.create('Docs', operator)).id
  const credentials = new CredentialStore(createDatabase(scope.pool), createSealer(parsed.keys), recordAudit)
  const where = { host: 'gitea', baseUrl: 'https://git.example.com', owner: 'docs', name: 'site' } as const
  await scope.stores.repositories.connect(
    projectId,
    {
      ...{ ...where, baseBranch: 'main', docsFolder: '', publishing: {}, webhookSecret: 'the secret' },
      tokenCredentialId: await credentials.put(projectId, 'code-host-token', 'token', operator),
    },
    operator,
  )
  server = createHttpServer(
    { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 },
    createLog('test', { level: 'error' }),
  )
  addJsonBody(server) // as in the api: it keeps from a route the body that it does not ask for
  addHooks(server, {
    repositories: scope.stores.repositories,
    pullRequests: new PullRequestStore(createDatabase(scope.pool)),
    readHook: (host, delivery, secret) => webhookReaders[host](delivery, secret),
  })
})
afterAll(async () => {
  await server.close()
  await scope.drop()
})

const body = JSON.stringify({ action: 'closed', number: 7 })
const deliver = (to: string, payload: string, secret: string) =>
  server.inject({
    method: 'POST',
    url: `/v1/hooks/${to}`,
    payload,
    headers: {
      'content-type': 'application/json',
      'x-gitea-event': 'pull_request',
      'x-gitea-signature': createHmac('sha256', secret).update(payload).digest('hex'),
    },
  })

test('a hint with the right signature is taken', async () => {
  expect((await deliver(projectId, body, 'the secret')).statusCode).toBe(204)
})

test('a forged one is not, nor one for a project that does not exist: nobody can tell which', async () => {
  const answers = [
    await deliver(projectId, body, 'another secret'),
    await deliver('prj_00000000000000000000000000', body, 'the secret'),
    await deliver('nonsense', body, 'the secret'),
    await server.inject({ method: 'POST', url: `/v1/hooks/${projectId}` }),
  ]
  const { requestId: _first, ...problem } = answers[0]?.json() ?? {}
  expect(problem).toMatchObject({ status: 401, code: 'unauthenticated' })
  for (const answer of answers) expect(answer.json()).toMatchObject(problem)
})
