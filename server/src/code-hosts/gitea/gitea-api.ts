import Type, { type Static, type TSchema } from 'typebox'
import Value from 'typebox/value'
import type { Egress } from '../../platform/egress/egress.ts'
import { CodeHostError, failureOfCall, failureOfStatus } from '../code-host-error.ts'

export type GiteaConnection = {
  /** Of the web page, without a trailing slash: `https://git.example.com`, or with a path behind it. */
  baseUrl: string
  owner: string
  name: string
  token: string
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type GiteaApi = {
  /** `path` is below the repository. */
  call<Schema extends TSchema>(method: Method, path: string, answer: Schema, body?: unknown): Promise<Static<Schema>>
  /** For calls without an answer. */
  run(method: Method, path: string, body?: unknown): Promise<void>
  /** All pages of a list. */
  list<Item extends TSchema>(path: string, item: Item): Promise<Static<Item>[]>
}

const limits = { silenceSeconds: 20, deadlineSeconds: 30, maxResponseBytes: 4_000_000 }

const pageSize = 50
const mostPages = 20

export function createGiteaApi(connection: GiteaConnection, egress: Egress): GiteaApi {
  const { baseUrl, owner, name, token } = connection
  const repositoryUrl = `${baseUrl}/api/v1/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`

  async function send(method: Method, path: string, body?: unknown): Promise<Response> {
    const response = await egress
      .fetch(repositoryUrl + path, {
        method,
        headers: {
          authorization: `token ${token}`,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        limits,
      })
      .catch((error: unknown) => {
        throw failureOfCall(error)
      })
    if (response.ok) return response
    throw failureOfStatus(response, `${method} ${path || '/'}`, await reasonIn(response, token))
  }

  async function call<Schema extends TSchema>(method: Method, path: string, answer: Schema, body?: unknown) {
    const response = await send(method, path, body)
    const text = await response.text().catch((error: unknown) => {
      throw failureOfCall(error)
    })
    const value = parseJson(text)
    if (Value.Check(answer, value)) return value
    throw new CodeHostError(
      { kind: 'retry', code: 'unexpected_answer' },
      `The code host's answer to ${method} ${path || '/'} is not what Gitea answers. Does the address lead to Gitea itself?`,
    )
  }

  return {
    call,
    async run(method, path, body) {
      const response = await send(method, path, body)
      await response.body?.cancel()
    },
    async list(path, item) {
      const items: Static<typeof item>[] = []
      for (let page = 1; page <= mostPages; page++) {
        const found = await call('GET', `${path}?limit=${pageSize}&page=${page}`, Type.Array(item))
        if (found.length === 0) break // not "fewer than asked for": a host may be set to give fewer
        items.push(...found)
      }
      return items
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One short line, and never our token, should a host repeat it. */
async function reasonIn(response: Response, token: string): Promise<string | undefined> {
  const answer = parseJson(await response.text().catch(() => ''))
  if (typeof answer !== 'object' || answer === null || !('message' in answer)) return undefined
  if (typeof answer.message !== 'string') return undefined
  return answer.message
    .replaceAll(token, '***')
    .replace(/[^\P{C} ]+|\s+/gu, ' ')
    .trim()
    .slice(0, 200)
}
