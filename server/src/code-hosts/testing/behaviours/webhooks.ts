import { deepEqual, equal, ok } from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { WebhookReading } from '../../code-host.ts'
import { webhookReaders } from '../../open-code-host.ts'
import type { HostRepository } from '../host-repository.ts'
import { commitOn, type HostBehaviour, until, wantedFrom } from './behaviour.ts'

type Heard = { read(secret?: string): WebhookReading[]; url: string } & Disposable

async function listen(repository: HostRepository): Promise<Heard> {
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
        .map((delivery) => webhookReaders[repository.connection.host](delivery, secret))
        .filter(({ kind }) => kind !== 'ignored'),
    [Symbol.dispose]: () => void server.close(),
  }
}

async function idOf(repository: HostRepository): Promise<number> {
  const look = await repository.host.look()
  if (look.kind !== 'usable') throw new Error(look.kind)
  return look.id
}

/** With its owner's token: an App has a webhook of its own. */
const owned = (repository: HostRepository) => repository.hostAt({ name: repository.name })

export const webhooks: readonly HostBehaviour[] = [
  {
    name: 'exactly one webhook is left, however often it is ensured',
    async play({ another }) {
      const repository = await another()
      const url = 'https://colophon.example/webhook'
      equal(await owned(repository).ensureWebhook({ url, secret: 'one' }), 'ensured')
      equal(await owned(repository).ensureWebhook({ url, secret: 'two' }), 'ensured')
      deepEqual(await repository.webhooks(), [url])
    },
  },
  {
    name: 'a token that may not manage webhooks says so',
    async play({ repository }) {
      const { token } = await repository.invite('write')
      const webhook = { url: 'https://colophon.example/webhook', secret: 'x' }
      equal(await repository.hostWith(token).ensureWebhook(webhook), 'not_permitted')
    },
  },
  {
    name: 'pull requests that are opened, closed and merged are told, signed with the last secret that was set',
    async play({ another }) {
      const repository = await another()
      using heard = await listen(repository)
      await owned(repository).ensureWebhook({ url: heard.url, secret: 'the first secret' })
      await owned(repository).ensureWebhook({ url: heard.url, secret: 'the secret' })
      const wanted = await wantedFrom(repository, 'told')
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      await repository.close(number)
      const expected = { kind: 'pull_request', repositoryId: await idOf(repository), number }
      const told = () => heard.read().filter(({ kind }) => kind === 'pull_request')
      await until(() => told().length >= 2, 'both were told')
      for (const reading of told()) deepEqual(reading, expected)
      ok(heard.read('the first secret').every(({ kind }) => kind === 'not_authentic'))
    },
  },
  {
    name: 'comments are told, by the pull request that they are on',
    async play({ another }) {
      const repository = await another()
      using heard = await listen(repository)
      const wanted = await wantedFrom(repository, 'told-comment')
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      const person = await repository.invite('write')
      await owned(repository).ensureWebhook({ url: heard.url, secret: 'the secret' })
      await repository.comment(number, person, '@colophon again')
      const expected = { kind: 'pull_request', repositoryId: await idOf(repository), number }
      await until(() => heard.read().length > 0, 'it was told')
      deepEqual(heard.read(), [expected])
    },
  },
  {
    name: 'checks are told, by the branch that they are of',
    cannot: { gitea: "Gitea tells a status's commit, and not on which branch it is." },
    async play({ another }) {
      const repository = await another()
      using heard = await listen(repository)
      const commit = commitOn(repository.base, { 'docs/told.md': 'x' })
      await repository.pushAsPerson(commit, 'told-check')
      await owned(repository).ensureWebhook({ url: heard.url, secret: 'the secret' })
      await repository.setStatus(commit.id, { name: 'lint', state: 'failure' })
      await until(() => heard.read().length > 0, 'it was told')
      deepEqual(heard.read(), [{ kind: 'branches', repositoryId: await idOf(repository), branches: ['told-check'] }])
    },
  },
  {
    name: 'a new name of the repository is told',
    cannot: { gitea: 'Gitea tells of repositories that are made and deleted only.' },
    async play({ another }) {
      const repository = await another()
      using heard = await listen(repository)
      await owned(repository).ensureWebhook({ url: heard.url, secret: 'the secret' })
      const repositoryId = await idOf(repository)
      await repository.rename(`${repository.name}-told`)
      await until(() => heard.read().length > 0, 'it was told')
      deepEqual(heard.read(), [{ kind: 'repository', repositoryId, installationId: null }])
    },
  },
]
