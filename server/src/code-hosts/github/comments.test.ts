import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createEgress } from '../../platform/egress/egress.ts'
import { listGithubComments } from './comments.ts'
import { createGithubApi } from './github-api.ts'
import { createInstallationTokens } from './installation-tokens.ts'

const repository = { id: 1, name: 'docs', owner: { login: 'ada' }, default_branch: 'main', archived: false }
const longest = '😀'.repeat(65_536)

/** With as many comments as there are pages for, and more. */
async function apiOfTalkativePeople() {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (!pathname.endsWith('/comments')) return response.end(JSON.stringify({ ...repository, disabled: false }))
    const perPage = Number(searchParams.get('per_page'))
    const page = Number(searchParams.get('page'))
    const comments = Array.from({ length: perPage }, (_, index) => ({
      ...{ id: (page - 1) * perPage + index + 1, html_url: 'https://x/', created_at: '2026-01-01T00:00:00Z' },
      user: index === 0 ? null : { login: 'ada', type: 'User' },
      body: page === 1 ? longest : 'short',
    }))
    return response.setHeader('link', '<https://x/>; rel="next"').end(JSON.stringify(comments))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const egress = createEgress({ allowedHosts: [`127.0.0.1:${port}`] })
  onTestFinished(async () => {
    await egress.close()
    server.close()
  })
  const connection = {
    ...{ baseUrl: `http://127.0.0.1:${port}`, owner: 'ada', name: 'docs', repositoryId: 1 },
    access: { kind: 'token', token: 'ghp_x' },
  } as const
  return createGithubApi(connection, egress, createInstallationTokens(egress))
}

it('reads the oldest comments, however long they and their list are, and none of who is gone', async () => {
  const found = await listGithubComments(await apiOfTalkativePeople(), 7, new Date(0))
  expect(found.slice(0, 2).map(({ id, author }) => [id, author])).toEqual([
    [2, 'ada'],
    [3, 'ada'],
  ])
  expect(found[0]?.text).toBe(longest)
  expect(found).toHaveLength(190)
}, 30_000)
