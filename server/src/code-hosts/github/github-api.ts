import Type, { type Static, type TSchema } from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import { failureIn, type Method, readResponse, sendJson } from '../json-api.ts'
import { githubApiUrl } from './api-url.ts'
import { GithubRepository } from './github-answers.ts'
import type { GithubConnection } from './github-connection.ts'
import { githubHeaders } from './github-headers.ts'
import type { InstallationTokens } from './installation-tokens.ts'

/** With the token that it was asked with. */
type Sent = { response: Response; used: string }

type Location = { url: string; isSameGithub: boolean }

export type GithubApi = {
  /** `path` is below the repository. */
  call<Schema extends TSchema>(method: Method, path: string, answer: Schema, body?: unknown): Promise<Static<Schema>>
  /** For calls without an answer. */
  run(method: Method, path: string, body?: unknown): Promise<void>
  /** The first pages of a list, as far as anybody looks. */
  list<Item extends TSchema>(path: string, item: Item, perPage?: number): Promise<Static<Item>[]>
  /** Of a list that is told oldest first, its end: back to the page with something that `isOld`. */
  listEnd<Item extends TSchema>(
    path: string,
    item: Item,
    isOld: (item: Static<Item>) => boolean,
    perPage: number,
  ): Promise<Static<Item>[]>
  /** Where an answer leads to that is elsewhere. Undefined: nowhere. */
  locate(path: string): Promise<Location | undefined>
  /** Under its name of today, wherever it went. */
  readRepository(): Promise<GithubRepository>
  /** One that GitHub took a moment ago. */
  token(): Promise<string>
}

const maxPages = 10
const maxEndPages = 100

export function createGithubApi(connection: GithubConnection, egress: Egress, tokens: InstallationTokens): GithubApi {
  const { baseUrl, repositoryId, access } = connection
  const apiUrl = githubApiUrl(baseUrl)
  let name: string | undefined

  const installation =
    access.kind === 'installation' && repositoryId !== null ? { baseUrl, repositoryId, access } : undefined

  async function token(): Promise<string> {
    if (access.kind === 'token') return access.token
    if (!installation) throw new Error('An App gives no token for a repository whose number is not known.')
    return await tokens.tokenFor(installation)
  }

  /** Whatever GitHub answers; a token that has ended is replaced once. */
  async function send(method: Method, url: string, body?: unknown): Promise<Sent> {
    for (let tries = 1; ; tries++) {
      const used = await token()
      const response = await sendJson(egress, { method, url, headers: githubHeaders(used), body })
      if (response.status !== 401 || !installation || tries === 2) return { response, used }
      await response.body?.cancel()
      tokens.forget(installation, used)
    }
  }

  async function readRepository(): Promise<GithubRepository> {
    const known = name ?? `${encodeURIComponent(connection.owner)}/${encodeURIComponent(connection.name)}`
    const byName = await send('GET', `${apiUrl}/repos/${known}`)
    const repository = (await ours(byName)) ?? (await readByNumber(byName))
    name = `${repository.owner.login}/${repository.name}`
    return repository
  }

  /** Names are given to others once they are free; numbers are not. */
  async function ours({ response }: Sent): Promise<GithubRepository | undefined> {
    if (!response.ok) return undefined
    const found = await readResponse(response, GithubRepository, { what: 'GET /', host: 'GitHub' })
    return repositoryId === null || found.id === repositoryId ? found : undefined
  }

  async function readByNumber({ response, used }: Sent): Promise<GithubRepository> {
    const url = repositoryId === null ? redirected(response) : `${apiUrl}/repositories/${repositoryId}`
    const isElsewhere = response.ok || response.status === 404 || isMoved(response)
    if (!url || !isElsewhere) throw await failureIn(response, 'GET /', used)
    if (!response.bodyUsed) await response.body?.cancel()
    const byNumber = await send('GET', url)
    const found = await ours(byNumber)
    if (found) return found
    throw await failureIn(byNumber.response, 'GET /', byNumber.used)
  }

  /** Only to a repository's number on the same GitHub: the token goes where a person said. */
  function redirected(response: Response): string | undefined {
    const location = response.headers.get('location') ?? ''
    const prefix = `${apiUrl}/repositories/`
    return isMoved(response) && location.startsWith(prefix) && /^\d+$/.test(location.slice(prefix.length))
      ? location
      : undefined
  }

  /** Whatever GitHub answers under the repository's name. */
  async function ask(method: Method, path: string, body?: unknown): Promise<Sent> {
    if (!name) await readRepository()
    const before = name
    const first = await send(method, `${apiUrl}/repos/${name}${path}`, body)
    if (!isMoved(first.response)) return first
    await readRepository()
    if (name === before) return first
    await first.response.body?.cancel()
    return await send(method, `${apiUrl}/repos/${name}${path}`, body)
  }

  async function succeed(method: Method, path: string, body?: unknown): Promise<Response> {
    const { response, used } = await ask(method, path, body)
    if (response.ok) return response
    throw await failureIn(response, `${method} ${path || '/'}`, used)
  }

  async function readPage<Item extends TSchema>(path: string, item: Item, perPage: number, page: number) {
    const separator = path.includes('?') ? '&' : '?'
    const response = await succeed('GET', `${path}${separator}per_page=${perPage}&page=${page}`)
    const link = response.headers.get('link') ?? ''
    return { items: await readResponse(response, Type.Array(item), { what: `GET ${path}`, host: 'GitHub' }), link }
  }

  return {
    token,
    readRepository,
    async call(method, path, answer, body) {
      const response = await succeed(method, path, body)
      return await readResponse(response, answer, { what: `${method} ${path || '/'}`, host: 'GitHub' })
    },
    async run(method, path, body) {
      const response = await succeed(method, path, body)
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
    async listEnd(path, item, isOld, perPage) {
      const { items: beginning, link } = await readPage(path, item, perPage, 1)
      const last = Number(/[?&]page=(\d+)[^>]*>; rel="last"/.exec(link)?.[1] ?? 1)
      const end: Static<typeof item>[] = []
      for (let page = last; page > 1; page--) {
        const { items } = await readPage(path, item, perPage, page)
        end.unshift(...items)
        if (items.some(isOld) || last - page === maxEndPages) return end
      }
      return [...beginning, ...end]
    },
    async locate(path) {
      const { response, used } = await ask('GET', path)
      if (response.status === 302) {
        await response.body?.cancel()
        const url = response.headers.get('location')
        const origins = [apiUrl, baseUrl].map((own) => new URL(own).origin)
        return url === null ? undefined : { url, isSameGithub: origins.includes(URL.parse(url)?.origin ?? '') }
      }
      const failure = await failureIn(response, `GET ${path}`, used)
      if (failure.failure.kind === 'final') return undefined
      throw failure
    },
  }
}

const isMoved = ({ status }: Response) => [301, 307, 308].includes(status)
