import Type, { type Static, type TSchema } from 'typebox'
import type { Egress } from '../../platform/egress/egress.ts'
import { type JsonRequestMethod, readErrorResponse, readJsonResponse, sendJson } from '../json-api.ts'

export type GiteaConnection = {
  /** The URL of the website, without a trailing slash: `https://git.example.com`, possibly with a path. */
  baseUrl: string
  owner: string
  name: string
  token: string
}

export type GiteaApi = {
  /** `path` is below the repository. */
  call<Schema extends TSchema>(
    method: JsonRequestMethod,
    path: string,
    schema: Schema,
    body?: unknown,
  ): Promise<Static<Schema>>
  /** For calls without a response body. */
  send(method: JsonRequestMethod, path: string, body?: unknown): Promise<void>
  /** All pages of a list. */
  list<Item extends TSchema>(path: string, item: Item): Promise<Static<Item>[]>
}

const pageSize = 50
const maxPages = 20

export function createGiteaApi(connection: GiteaConnection, egress: Egress): GiteaApi {
  const { baseUrl, owner, name, token } = connection
  const repositories = `${baseUrl}/api/v1/repos/`
  let repository = `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`

  const sendOnce = (method: JsonRequestMethod, path: string, body?: unknown) =>
    sendJson(egress, {
      method,
      url: repositories + repository + path,
      headers: { authorization: `token ${token}`, accept: 'application/json' },
      body,
    })

  async function send(method: JsonRequestMethod, path: string, body?: unknown): Promise<Response> {
    let response = await sendOnce(method, path, body)
    const renamed = response.status === 301 ? renamedRepository(response, repositories) : undefined
    if (renamed) {
      await response.body?.cancel()
      repository = renamed
      response = await sendOnce(method, path, body)
    }
    if (response.ok) return response
    throw await readErrorResponse(response, `${method} ${path || '/'}`, token)
  }

  async function call<Schema extends TSchema>(method: JsonRequestMethod, path: string, schema: Schema, body?: unknown) {
    const response = await send(method, path, body)
    return await readJsonResponse(response, schema, { what: `${method} ${path || '/'}`, host: 'Gitea' })
  }

  return {
    call,
    async send(method, path, body) {
      const response = await send(method, path, body)
      await response.body?.cancel()
    },
    async list(path, item) {
      const items: Static<typeof item>[] = []
      for (let page = 1; page <= maxPages; page++) {
        const found = await call('GET', `${path}?limit=${pageSize}&page=${page}`, Type.Array(item))
        if (found.length === 0) break // not "fewer than the limit": a host may be configured with a smaller page size
        items.push(...found)
      }
      return items
    },
  }
}

/** Only on the same Gitea: the token is sent only to the host that a person entered. */
function renamedRepository(response: Response, repositories: string): string | undefined {
  const url = URL.parse(response.headers.get('location') ?? '', repositories)?.href
  if (!url?.startsWith(repositories)) return undefined
  return /^[^/?#]+\/[^/?#]+/.exec(url.slice(repositories.length))?.[0]
}
