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

const old = 400
const all = 430

/** Old comments that somebody changed come before the new ones. */
async function apiOfTalkativePeople() {
  const pages: number[] = []
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (!pathname.endsWith('/comments')) return response.end(JSON.stringify({ ...repository, disabled: false }))
    const perPage = Number(searchParams.get('per_page'))
    const page = Number(searchParams.get('page'))
    pages.push(page)
    const ids = Array.from({ length: all }, (_, index) => index + 1).slice((page - 1) * perPage, page * perPage)
    const comments = ids.map((id) => ({
      id,
      html_url: 'https://x/',
      created_at: id <= old ? '2026-01-01T00:00:00Z' : '2026-02-01T00:00:00Z',
      user: id === all ? null : { login: 'ada', type: 'User' },
      body: id > old + 20 ? 'short' : longest,
    }))
    const last = Math.ceil(all / perPage)
    const address = (to: number) => `<https://x/comments?per_page=${perPage}&page=${to}>`
    if (page < last) response.setHeader('link', `${address(page + 1)}; rel="next", ${address(last)}; rel="last"`)
    return response.end(JSON.stringify(comments))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const egress = createEgress({ allowedHosts: [`127.0.0.1:${port}`] })
  onTestFinished(async () => {
    await egress.close()
    server.close()
  })
  const connection = {
    baseUrl: `http://127.0.0.1:${port}`,
    owner: 'ada',
    name: 'docs',
    repositoryId: 1,
    access: { kind: 'token', token: 'ghp_x' },
  } as const
  return { api: createGithubApi(connection, egress, createInstallationTokens(egress)), pages }
}

it('reads what is new, however long it is and however much lies before it, and nothing of who is gone', async () => {
  const { api, pages } = await apiOfTalkativePeople()
  const since = new Date('2026-01-15T00:00:00Z')
  const found = await listGithubComments(api, 7, since)
  const fresh = found.filter(({ createdAt }) => createdAt >= since)
  expect(fresh.map(({ id }) => id)).toEqual(Array.from({ length: all - old - 1 }, (_, index) => old + 1 + index))
  expect(fresh[0]?.text).toBe(longest)
  expect(pages).toEqual([1, 22, 21, 20])
}, 30_000)

it('reads all where all is new', async () => {
  const { api } = await apiOfTalkativePeople()
  const found = await listGithubComments(api, 7, new Date(0))
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: all - 1 }, (_, index) => index + 1))
}, 60_000)
