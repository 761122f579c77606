/**
 * The one way out of a box: a Unix socket whose requests the runner sends on to the gateway, with the attempt's token, which
 * the box never sees. Only addresses under `paths` are sent on: the same token is good for reporting results, and that is
 * the runner's business alone.
 */
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { boxUser } from './enclosure.ts'

export interface WayOutOptions {
  gatewayUrl: string
  token: string
  /** What an address begins with. */
  paths: readonly string[]
}

export interface WayOut extends AsyncDisposable {
  /** For the box's `gatewayDirectory`. */
  directory: string
}

/** What git and the model's clients say about a request. Everything else, and every credential, stays in the box. */
const passedOn = ['accept', 'content-type', 'content-encoding', 'content-length', 'git-protocol', 'anthropic-version']
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'proxy-authenticate']
const maxConnections = 64

export async function openWayOut({ gatewayUrl, token, paths }: WayOutOptions): Promise<WayOut> {
  const gateway = new URL(gatewayUrl)
  const isSecure = gateway.protocol === 'https:'
  const send = isSecure ? requestHttps : requestHttp
  // No connection is used twice: what a box manages to leave on one is nobody else's, and not even its own, next answer.
  const agent = isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false })

  const server = createServer({ maxHeaderSize: 16_384 }, (inner, answer) => {
    const path = allowedPath(inner.url ?? '', paths)
    if (path === undefined) return refuse(answer, 404, 'There is no such way out.')
    if (!isPlain(inner)) return refuse(answer, 400, 'A GET without a body, or a POST: nothing else gets out.')
    const outer = send(
      new URL(path, gateway),
      { agent, method: inner.method ?? 'GET', headers: { ...pick(inner, passedOn), authorization: `Bearer ${token}` } },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, omit(response, hopByHop))
        pipeline(response, answer, () => {})
      },
    )
    outer.once('error', () => refuse(answer, 502, 'The gateway does not answer.'))
    answer.once('close', () => outer.destroy()) // nobody waits for it any more
    if (inner.method === 'POST') pipeline(inner, outer, () => {})
    else outer.end()
  })
  server.maxConnections = maxConnections
  server.requestTimeout = 0 // a turn has a deadline of its own

  return listenForBox(server)
}

/** On a socket that whoever is in a box may use. */
export async function listenForBox(server: Server): Promise<WayOut> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-way-out-'))
  const socket = join(directory, 'gateway.sock')
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  const user = boxUser()
  if (user) for (const path of [socket, directory]) chownSync(path, user.uid, user.gid)
  return {
    directory,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Node sends the body of a GET as it comes, without saying where it ends: the gateway would read it as the next request, with
 * whatever address it names.
 */
function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method === 'POST') return true
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return method === 'GET' && !hasBody
}

/** As it is sent on. Whatever two readers might read in two ways is refused: dots, backslashes, encoded slashes. */
function allowedPath(url: string, paths: readonly string[]): string | undefined {
  if (!/^\/[\w./?=&%+~:@,-]*$/.test(url) || /\/\.|%2[ef]|%5c|\/\//i.test(url.split('?')[0] ?? '')) return undefined
  return paths.some((path) => url.startsWith(path)) ? url : undefined
}

function refuse(answer: ServerResponse, status: number, message: string): void {
  if (answer.headersSent) {
    answer.destroy() // a broken stream has to look broken
    return
  }
  answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
}

const pick = ({ headers }: IncomingMessage, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))
const omit = ({ headers }: IncomingMessage, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
