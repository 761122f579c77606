import Type, { type Static, type TSchema } from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import { failureIn, type Method, readResponse, sendJson } from '../json-api.ts'

export type GiteaConnection = {
  /** Of the web page, without a trailing slash: `https://git.example.com`, or with a path behind it. */
  baseUrl: string
  owner: string
  name: string
  token: string
}

export type GiteaApi = {
  /** `path` is below the repository. */
  call<Schema extends TSchema>(method: Method, path: string, answer: Schema, body?: unknown): Promise<Static<Schema>>
  /** For calls without an answer. */
  run(method: Method, path: string, body?: unknown): Promise<void>
  /** All pages of a list. */
  list<Item extends TSchema>(path: string, item: Item): Promise<Static<Item>[]>
}

const pageSize = 50
const maxPages = 20

export function createGiteaApi(connection: GiteaConnection, egress: Egress): GiteaApi {
  const { baseUrl, owner, name, token } = connection
  const repositories = `${baseUrl}/api/v1/repos/`
  let repository = `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`

  const sendOnce = (method: Method, path: string, body?: unknown) =>
    sendJson(egress, {
      method,
      url: repositories + repository + path,
      headers: { authorization: `token ${token}`, accept: 'application/json' },
      body,
    })

  async function send(method: Method, path: string, body?: unknown): Promise<Response> {
    let response = await sendOnce(method, path, body)
    const renamed = response.status === 301 ? newName(response, repositories) : undefined
    if (renamed) {
      await response.body?.cancel()
      repository = renamed
      response = await sendOnce(method, path, body)
    }
    if (response.ok) return response
    throw await failureIn(response, `${method} ${path || '/'}`, token)
  }

  async function call<Schema extends TSchema>(method: Method, path: string, answer: Schema, body?: unknown) {
    const response = await send(method, path, body)
    return await readResponse(response, answer, { what: `${method} ${path || '/'}`, host: 'Gitea' })
  }

  return {
    call,
    async run(method, path, body) {
      const response = await send(method, path, body)
      await response.body?.cancel()
    },
    async list(path, item) {
      const items: Static<typeof item>[] = []
      for (let page = 1; page <= maxPages; page++) {
        const found = await call('GET', `${path}?limit=${pageSize}&page=${page}`, Type.Array(item))
        if (found.length === 0) break // not "fewer than asked for": a host may be set to give fewer
        items.push(...found)
      }
      return items
    },
  }
}

/** Only of the same Gitea: the token goes where a person said. */
function newName(response: Response, repositories: string): string | undefined {
  const url = URL.parse(response.headers.get('location') ?? '', repositories)?.href
  if (!url?.startsWith(repositories)) return undefined
  return /^[^/?#]+\/[^/?#]+/.exec(url.slice(repositories.length))?.[0]
}
