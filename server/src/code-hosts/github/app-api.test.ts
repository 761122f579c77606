import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { createEgress } from '../../platform/egress/egress.ts'
import { exchangeOauthCode, listWritableRepositories, revokeUserToken } from './app-api.ts'

async function startGithub(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const egress = createEgress({ allowedHosts: [`127.0.0.1:${port}`] })
  onTestFinished(async () => {
    await egress.close()
    server.close()
  })
  const app = { baseUrl: `http://127.0.0.1:${port}`, appId: 1, clientId: 'Iv1', clientSecret: 'a-secret' }
  const within = (ms: number) => ({ egress, signal: AbortSignal.timeout(ms) })
  return { app, within }
}

it('reveals no secret in messages, even if GitHub repeats it', async () => {
  const { app, within } = await startGithub(async (request, response) => {
    const message = `${request.headers.authorization} ${await textOf(request)}`
    response.writeHead(422).end(JSON.stringify({ message }))
  })
  const calls = [
    exchangeOauthCode(app, 'a-code', within(5_000)),
    listWritableRepositories(app, 'a-token', within(5_000)),
    revokeUserToken(app, 'a-token', within(5_000)),
  ]
  for (const call of calls) {
    const message = await call.then(String, String)
    expect(message).toContain('***')
    expect(message).not.toMatch(/a-secret|a-code|a-token|SXYxOmEtc2VjcmV0/)
  }
})

it('limits the number of repositories', async () => {
  const { app, within } = await startGithub((request, response) => {
    const isInstallations = request.url?.startsWith('/api/v3/user/installations?')
    const repository = {
      id: 1,
      name: 'docs',
      owner: { login: 'ada' },
      private: true,
      archived: false,
      default_branch: 'main',
      permissions: { push: true },
    }
    const body = isInstallations
      ? { installations: [1, 2, 3].map((id) => ({ id, app_id: 1 })) }
      : { repositories: Array(100).fill(repository) }
    response.end(JSON.stringify(body))
  })
  await expect(listWritableRepositories(app, 'a-token', within(20_000))).resolves.toHaveLength(2_000)
}, 30_000)

it('fails at its deadline with a readable message', async () => {
  const { app, within } = await startGithub(() => {})
  await expect(exchangeOauthCode(app, 'a-code', within(100))).rejects.toMatchObject({
    name: 'CodeHostError',
    message: 'The code host did not respond in time.',
  })
})
