import Type, { type Static, type TSchema } from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import { type JsonRequestMethod, readErrorResponse, readJsonResponse, sendJson } from '../json-api.ts'
import { resolveGithubApiUrl } from './api-url.ts'
import type { GithubConnection } from './github-connection.ts'
import { createGithubHeaders } from './github-headers.ts'
import { GithubRepository } from './github-schemas.ts'
import type { InstallationTokenCache } from './installation-token-cache.ts'

/** A response, and the token that the request was sent with. */
type Sent = { response: Response; token: string }

type Location = { url: string; isSameGithub: boolean }

export type GithubApi = {
  /** `path` is below the repository. */
  call<Schema extends TSchema>(
    method: JsonRequestMethod,
    path: string,
    schema: Schema,
    body?: unknown,
  ): Promise<Static<Schema>>
  /** For calls without a response body. */
  send(method: JsonRequestMethod, path: string, body?: unknown): Promise<void>
  /** The first pages of a list, up to a limit. */
  list<Item extends TSchema>(path: string, item: Item, perPage?: number): Promise<Static<Item>[]>
  /** The end of a list that is sorted oldest first: back to the first page that contains an item that `isOld`. */
  listNewest<Item extends TSchema>(
    path: string,
    item: Item,
    isOld: (item: Static<Item>) => boolean,
    perPage: number,
  ): Promise<Static<Item>[]>
  /** The target of the redirect that GitHub responds with. Undefined: no redirect. */
  readRedirect(path: string): Promise<Location | undefined>
  /** Under its current name, even if it was renamed or transferred. */
  readRepository(): Promise<GithubRepository>
  /** A token that GitHub accepted a moment ago. */
  token(): Promise<string>
}

const maxPages = 10
const maxEndPages = 100

export function createGithubApi(
  connection: GithubConnection,
  egress: Egress,
  tokens: InstallationTokenCache,
): GithubApi {
  const { baseUrl, repositoryId, access } = connection
  const apiUrl = resolveGithubApiUrl(baseUrl)
  let name: string | undefined

  const installation =
    access.kind === 'installation' && repositoryId !== null ? { baseUrl, repositoryId, access } : undefined

  async function token(): Promise<string> {
    if (access.kind === 'token') return access.token
    if (!installation) throw new Error('An installation token requires the id of the repository.')
    return await tokens.tokenFor(installation)
  }

  /** Returns the response whatever its status. An expired token is replaced once. */
  async function send(method: JsonRequestMethod, url: string, body?: unknown): Promise<Sent> {
    for (let attempt = 1; ; attempt++) {
      const sentToken = await token()
      const response = await sendJson(egress, { method, url, headers: createGithubHeaders(sentToken), body })
      if (response.status !== 401 || !installation || attempt === 2) return { response, token: sentToken }
      await response.body?.cancel()
      tokens.invalidate(installation, sentToken)
    }
  }

  async function readRepository(): Promise<GithubRepository> {
    const fullName = name ?? `${encodeURIComponent(connection.owner)}/${encodeURIComponent(connection.name)}`
    const byName = await send('GET', `${apiUrl}/repos/${fullName}`)
    const repository = (await readIfOurs(byName)) ?? (await readById(byName))
    name = `${repository.owner.login}/${repository.name}`
    return repository
  }

  /** Another repository may take a name that has become free. Ids are never reused. */
  async function readIfOurs({ response }: Sent): Promise<GithubRepository | undefined> {
    if (!response.ok) return undefined
    const repository = await readJsonResponse(response, GithubRepository, { what: 'GET /', host: 'GitHub' })
    return repositoryId === null || repository.id === repositoryId ? repository : undefined
  }

  async function readById({ response, token: sentToken }: Sent): Promise<GithubRepository> {
    const url = repositoryId === null ? redirectTarget(response) : `${apiUrl}/repositories/${repositoryId}`
    const mayHaveMoved = response.ok || response.status === 404 || isMoved(response)
    if (!url || !mayHaveMoved) throw await readErrorResponse(response, 'GET /', sentToken)
    if (!response.bodyUsed) await response.body?.cancel()
    const byId = await send('GET', url)
    const repository = await readIfOurs(byId)
    if (repository) return repository
    throw await readErrorResponse(byId.response, 'GET /', byId.token)
  }

  /** Follows redirects only to a repository id on the same GitHub: the token is sent only to the host that a person entered. */
  function redirectTarget(response: Response): string | undefined {
    const location = response.headers.get('location') ?? ''
    const prefix = `${apiUrl}/repositories/`
    return isMoved(response) && location.startsWith(prefix) && /^\d+$/.test(location.slice(prefix.length))
      ? location
      : undefined
  }

  /** Returns the response whatever its status. If the repository was renamed, sends the request again with the new name. */
  async function sendToRepository(method: JsonRequestMethod, path: string, body?: unknown): Promise<Sent> {
    if (!name) await readRepository()
    const before = name
    const first = await send(method, `${apiUrl}/repos/${name}${path}`, body)
    if (!isMoved(first.response)) return first
    await readRepository()
    if (name === before) return first
    await first.response.body?.cancel()
    return await send(method, `${apiUrl}/repos/${name}${path}`, body)
  }

  async function sendOrThrow(method: JsonRequestMethod, path: string, body?: unknown): Promise<Response> {
    const { response, token: sentToken } = await sendToRepository(method, path, body)
    if (response.ok) return response
    throw await readErrorResponse(response, `${method} ${path || '/'}`, sentToken)
  }

  async function readPage<Item extends TSchema>(path: string, item: Item, perPage: number, page: number) {
    const separator = path.includes('?') ? '&' : '?'
    const response = await sendOrThrow('GET', `${path}${separator}per_page=${perPage}&page=${page}`)
    const link = response.headers.get('link') ?? ''
    return { items: await readJsonResponse(response, Type.Array(item), { what: `GET ${path}`, host: 'GitHub' }), link }
  }

  return {
    token,
    readRepository,
    async call(method, path, schema, body) {
      const response = await sendOrThrow(method, path, body)
      return await readJsonResponse(response, schema, { what: `${method} ${path || '/'}`, host: 'GitHub' })
    },
    async send(method, path, body) {
      const response = await sendOrThrow(method, path, body)
      await response.body?.cancel()
    },
    async list(path, item, perPage = 100) {
      const all: Static<typeof item>[] = []
      for (let page = 1; page <= maxPages; page++) {
        const { items, link } = await readPage(path, item, perPage, page)
        all.push(...items)
        if (!/rel="next"/.test(link)) break
      }
      return all
    },
    async listNewest(path, item, isOld, perPage) {
      const { items: firstPage, link } = await readPage(path, item, perPage, 1)
      const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1] ?? 1)
      const end: Static<typeof item>[] = []
      for (let page = last; page > 1; page--) {
        const { items } = await readPage(path, item, perPage, page)
        end.unshift(...items)
        if (items.some(isOld) || last - page === maxEndPages) return end
      }
      return [...firstPage, ...end]
    },
    async readRedirect(path) {
      const { response, token: sentToken } = await sendToRepository('GET', path)
      if (response.status === 302) {
        await response.body?.cancel()
        const url = response.headers.get('location')
        const origins = [apiUrl, baseUrl].map((githubUrl) => new URL(githubUrl).origin)
        return url === null ? undefined : { url, isSameGithub: origins.includes(URL.parse(url)?.origin ?? '') }
      }
      const failure = await readErrorResponse(response, `GET ${path}`, sentToken)
      if (failure.failure.kind === 'final') return undefined
      throw failure
    },
  }
}

const isMoved = ({ status }: Response) => [301, 307, 308].includes(status)
