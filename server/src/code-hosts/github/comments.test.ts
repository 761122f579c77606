import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createEgress } from '../../platform/egress/egress.ts'
import { listGithubComments } from './comments.ts'
import { createGithubApi } from './github-api.ts'
import { createInstallationTokenCache } from './installation-token-cache.ts'

const repository = { id: 1, name: 'docs', owner: { login: 'ada' }, default_branch: 'main', archived: false }
const longestText = '😀'.repeat(65_536)

const oldCount = 400
const totalCount = 430

/** The API of a pull request with many edited oldCount comments, which are listed before the new ones. */
async function createApiWithManyComments() {
  const pages: number[] = []
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (!pathname.endsWith('/comments')) return response.end(JSON.stringify({ ...repository, disabled: false }))
    const perPage = Number(searchParams.get('per_page'))
    const page = Number(searchParams.get('page'))
    pages.push(page)
    const ids = Array.from({ length: totalCount }, (_, index) => index + 1).slice((page - 1) * perPage, page * perPage)
    const comments = ids.map((id) => ({
      id,
      html_url: 'https://x/',
      created_at: id <= oldCount ? '2026-01-01T00:00:00Z' : '2026-02-01T00:00:00Z',
      user: id === totalCount ? null : { login: 'ada', type: 'User' },
      body: id > oldCount + 20 ? 'short' : longestText,
    }))
    const last = Math.ceil(totalCount / perPage)
    const pageUrl = (to: number) => `<https://x/comments?per_page=${perPage}&page=${to}>`
    if (page < last) response.setHeader('link', `${pageUrl(page + 1)}; rel="next", ${pageUrl(last)}; rel="last"`)
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
  return { api: createGithubApi(connection, egress, createInstallationTokenCache(egress)), pages }
}

it('reads new comments of any length after many old ones, and skips deleted accounts', async () => {
  const { api, pages } = await createApiWithManyComments()
  const since = new Date('2026-01-15T00:00:00Z')
  const found = await listGithubComments(api, 7, since)
  const newComments = found.filter(({ createdAt }) => createdAt >= since)
  expect(newComments.map(({ id }) => id)).toEqual(
    Array.from({ length: totalCount - oldCount - 1 }, (_, index) => oldCount + 1 + index),
  )
  expect(newComments[0]?.text).toBe(longestText)
  expect(pages).toEqual([1, 22, 21, 20])
}, 30_000)

it('reads all comments if all are new', async () => {
  const { api } = await createApiWithManyComments()
  const found = await listGithubComments(api, 7, new Date(0))
  expect(found.map(({ id }) => id)).toEqual(Array.from({ length: totalCount - 1 }, (_, index) => index + 1))
}, 60_000)
