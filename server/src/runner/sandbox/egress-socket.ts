/**
 * The only egress of a sandbox: a Unix socket whose requests the runner forwards to the gateway, with the attempt's token, which
 * is never visible in the sandbox. Only URLs below `paths` are forwarded: the same token can report results, which only the
 * runner may do.
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
import { chooseSandboxUser } from './sandbox-process.ts'

export interface EgressSocketOptions {
  gatewayUrl: string
  token: string
  /** Allowed prefixes of a request's path. */
  allowedPaths: readonly string[]
}

export interface EgressSocket extends AsyncDisposable {
  /** For the `gatewayDirectory` of the sandbox. */
  directory: string
}

/** Request headers that git and model clients need. All others, credentials included, are dropped. */
const forwardedHeaders = [
  'accept',
  'content-type',
  'content-encoding',
  'content-length',
  'git-protocol',
  'anthropic-version',
]
const hopByHopHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'trailer', 'proxy-authenticate']
const maxConnections = 64

export async function openEgressSocket({
  gatewayUrl,
  token,
  allowedPaths,
}: EgressSocketOptions): Promise<EgressSocket> {
  const gateway = new URL(gatewayUrl)
  const isSecure = gateway.protocol === 'https:'
  const send = isSecure ? requestHttps : requestHttp
  // No connection is reused: bytes that a sandbox smuggles into one cannot become part of a later request or response.
  const agent = isSecure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false })

  const server = createServer({ maxHeaderSize: 16_384 }, (inner, reply) => {
    const path = allowedPath(inner.url ?? '', allowedPaths)
    if (path === undefined) return sendError(reply, 404, 'This URL cannot be reached from the sandbox.')
    if (!isUnambiguous(inner)) return sendError(reply, 400, 'Only GET without a body and POST are allowed.')
    const outer = send(
      new URL(path, gateway),
      {
        agent,
        method: inner.method ?? 'GET',
        headers: { ...pick(inner, forwardedHeaders), authorization: `Bearer ${token}` },
      },
      (response) => {
        reply.writeHead(response.statusCode ?? 502, omit(response, hopByHopHeaders))
        pipeline(response, reply, () => {})
      },
    )
    outer.once('error', () => sendError(reply, 502, 'The gateway cannot be reached.'))
    reply.once('close', () => outer.destroy()) // the client no longer waits
    if (inner.method === 'POST') pipeline(inner, outer, () => {})
    else outer.end()
  })
  server.maxConnections = maxConnections
  server.requestTimeout = 0 // the turn has its own deadline

  return listenOnEgressSocket(server)
}

/** Listens on a new socket that processes in a sandbox may use. */
export async function listenOnEgressSocket(server: Server): Promise<EgressSocket> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-egress-'))
  const socket = join(directory, 'gateway.sock')
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  const user = chooseSandboxUser()
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
 * Node sends the body of a GET without its length or framing: the gateway would read it as the next request, with any URL
 * (request smuggling).
 */
function isUnambiguous({ method, headers }: IncomingMessage): boolean {
  if (method === 'POST') return true
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return method === 'GET' && !hasBody
}

/** Undefined: not allowed. Paths that two parsers might read differently are rejected: dots, backslashes, encoded slashes. */
function allowedPath(url: string, paths: readonly string[]): string | undefined {
  if (!/^\/[\w./?=&%+~:@,-]*$/.test(url) || /\/\.|%2[ef]|%5c|\/\//i.test(url.split('?')[0] ?? '')) return undefined
  return paths.some((path) => url.startsWith(path)) ? url : undefined
}

function sendError(reply: ServerResponse, status: number, message: string): void {
  if (reply.headersSent) {
    reply.destroy() // the client must see that the stream is incomplete
    return
  }
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
}

const pick = ({ headers }: IncomingMessage, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)))
const omit = ({ headers }: IncomingMessage, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
