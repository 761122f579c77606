import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, inject, it, onTestFinished } from 'vitest'
import { craftCommit } from '../testing/craft-commit.ts'
import { createGiteaRepository } from '../testing/gitea-repository.ts'
import { readGiteaWebhook } from './read-webhook.ts'

it('reads what Gitea really sends, with the last secret that was set', async () => {
  const gitea = await createGiteaRepository(inject('engines').gitea)
  onTestFinished(() => gitea.remove())
  const deliveries: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    deliveries.push({ headers: request.headers, body: await buffer(request) })
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  await gitea.host.ensureWebhook({ url, secret: 'first' })
  await gitea.host.ensureWebhook({ url, secret: 'second' })
  await gitea.pushAsPerson(craftCommit({ ...gitea.base.files, 'docs/page.md': '# Page\n' }, [gitea.base.id]), 'a/page')
  const text = { title: 'Add a page', body: '' }
  const wanted = { branch: 'a/page', baseBranch: 'main', ...text, draft: false, labels: [], reviewers: [] }
  const { pullRequest } = await gitea.host.ensurePullRequest(wanted)
  await gitea.asPerson('PATCH', `/pulls/${pullRequest.number}`, { state: 'closed' })

  const expected = {
    kind: 'pull_request',
    repository: `${gitea.owner}/${gitea.name}`,
    number: pullRequest.number,
    branch: 'a/page',
  }
  await expect
    .poll(() => deliveries.map((delivery) => readGiteaWebhook(delivery, 'second')), { timeout: 10_000 })
    .toEqual([
      { ...expected, state: 'open' },
      { ...expected, state: 'closed' },
    ])
  expect(deliveries.map((delivery) => readGiteaWebhook(delivery, 'first').kind)).toEqual([
    'not_authentic',
    'not_authentic',
  ])
})
