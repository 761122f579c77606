import { deepEqual, equal, ok } from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { WebhookEvent } from '../../code-host.ts'
import { webhookParsers } from '../../code-host-factory.ts'
import type { HostTestRepository } from '../host-test-repository.ts'
import { craftChildCommit, type HostBehavior, pollUntil, pushPullRequestBranch } from './behavior.ts'

type Receiver = { read(secret?: string): WebhookEvent[]; url: string } & Disposable

async function startReceiver(repository: HostTestRepository): Promise<Receiver> {
  const deliveries: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    deliveries.push({ headers: request.headers, body: await buffer(request) })
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    read: (secret = 'the secret') =>
      deliveries
        .map((delivery) => webhookParsers[repository.connection.host](delivery, secret))
        .filter(({ kind }) => kind !== 'ignored'),
    [Symbol.dispose]: () => void server.close(),
  }
}

async function idOf(repository: HostTestRepository): Promise<number> {
  const state = await repository.host.readRepositoryState()
  if (state.kind !== 'usable') throw new Error(state.kind)
  return state.id
}

/** Uses the owner's token, because an App has its own webhook. */
const ownerHost = (repository: HostTestRepository) => repository.hostWithChanges({ name: repository.name })

export const webhookBehaviors: readonly HostBehavior[] = [
  {
    name: 'exactly one webhook is left, however often it is ensured',
    async run({ createRepository }) {
      const repository = await createRepository()
      const url = 'https://colophon.example/webhook'
      equal(await ownerHost(repository).ensureWebhook({ url, secret: 'one' }), 'ensured')
      equal(await ownerHost(repository).ensureWebhook({ url, secret: 'two' }), 'ensured')
      deepEqual(await repository.webhooks(), [url])
    },
  },
  {
    name: 'webhooks are removed by the end of their URL, and no others, however often',
    async run({ createRepository }) {
      const repository = await createRepository()
      const urls = ['https://colophon.example/v1/webhooks/prj_1', 'https://colophon.example/v1/webhooks/prj_2']
      for (const url of urls) await ownerHost(repository).ensureWebhook({ url, secret: 'one' })
      equal(await ownerHost(repository).removeWebhooks('/v1/webhooks/prj_1'), 'removed')
      equal(await ownerHost(repository).removeWebhooks('/v1/webhooks/prj_1'), 'removed')
      deepEqual(await repository.webhooks(), [urls[1]])
    },
  },
  {
    name: 'a token that may not manage webhooks is reported',
    async run({ repository }) {
      const { token } = await repository.invite('write')
      const webhook = { url: 'https://colophon.example/webhook', secret: 'x' }
      equal(await repository.hostWithToken(token).ensureWebhook(webhook), 'not_permitted')
      equal(await repository.hostWithToken(token).removeWebhooks('/webhook'), 'not_permitted')
    },
  },
  {
    name: 'a delivery is sent when a pull request is opened or closed, signed with the latest secret',
    async run({ createRepository }) {
      const repository = await createRepository()
      using receiver = await startReceiver(repository)
      await ownerHost(repository).ensureWebhook({ url: receiver.url, secret: 'the first secret' })
      await ownerHost(repository).ensureWebhook({ url: receiver.url, secret: 'the secret' })
      const spec = await pushPullRequestBranch(repository, 'delivered')
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      await repository.close(number)
      const expected = { kind: 'pull_request', repositoryId: await idOf(repository), number }
      const deliveries = () => receiver.read().filter(({ kind }) => kind === 'pull_request')
      await pollUntil(() => deliveries().length >= 2, 'both deliveries arrive')
      for (const reading of deliveries()) deepEqual(reading, expected)
      ok(receiver.read('the first secret').every(({ kind }) => kind === 'not_authentic'))
    },
  },
  {
    name: 'a delivery for a comment names the pull request',
    async run({ createRepository }) {
      const repository = await createRepository()
      using receiver = await startReceiver(repository)
      const spec = await pushPullRequestBranch(repository, 'delivered-comment')
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      const person = await repository.invite('write')
      await ownerHost(repository).ensureWebhook({ url: receiver.url, secret: 'the secret' })
      await repository.comment(number, person, '@colophon again')
      const expected = { kind: 'pull_request', repositoryId: await idOf(repository), number }
      await pollUntil(() => receiver.read().length > 0, 'a delivery arrives')
      deepEqual(receiver.read(), [expected])
    },
  },
  {
    name: 'a delivery for a check names the branch',
    unsupported: { gitea: 'Gitea reports the commit of a status, but not its branch.' },
    async run({ createRepository }) {
      const repository = await createRepository()
      using receiver = await startReceiver(repository)
      const commit = craftChildCommit(repository.base, { 'docs/delivered.md': 'x' })
      await repository.pushAsPerson(commit, 'delivered-check')
      await ownerHost(repository).ensureWebhook({ url: receiver.url, secret: 'the secret' })
      await repository.setStatus(commit.id, { name: 'lint', state: 'failure' })
      await pollUntil(() => receiver.read().length > 0, 'a delivery arrives')
      deepEqual(receiver.read(), [
        { kind: 'branches', repositoryId: await idOf(repository), branches: ['delivered-check'] },
      ])
    },
  },
  {
    name: 'a delivery is sent when the repository is renamed',
    unsupported: { gitea: 'Gitea sends deliveries only for created and deleted repositories.' },
    async run({ createRepository }) {
      const repository = await createRepository()
      using receiver = await startReceiver(repository)
      await ownerHost(repository).ensureWebhook({ url: receiver.url, secret: 'the secret' })
      const repositoryId = await idOf(repository)
      await repository.rename(`${repository.name}-renamed`)
      await pollUntil(() => receiver.read().length > 0, 'a delivery arrives')
      deepEqual(receiver.read(), [{ kind: 'repository', repositoryId, installationId: null }])
    },
  },
]
