/**
 * A proxy between the git binary and the code host: git speaks plain HTTP to this relay on loopback, and the relay calls the
 * host through `platform/egress`. So git needs no network access of its own, the operator's proxy, certificates and allow
 * list apply to it too, no child process ever has the token, and failures are known by HTTP status, not by git's messages.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Egress } from '../../platform/egress/egress.ts'
import type { GitRemote } from '../code-host.ts'
import { toCodeHostError } from '../code-host-error.ts'
import { callGitHost, fetchEndpoints, type GitEndpoint, pushEndpoints } from './call-git-host.ts'

export type GitRelay = {
  url: string
  /** For `http.extraHeader`. Other programs on this machine can reach the port, but do not know this secret. */
  header: string
  /** Returns and clears the first failure of a call to the host since the last time. */
  popFailure(): unknown
  close(): void
}

const calls: readonly string[] = [...fetchEndpoints, ...pushEndpoints]
const isGitCall = (call: string): call is GitEndpoint => calls.includes(call)
const forwardedHeaders = ['accept', 'content-type', 'content-encoding', 'content-length', 'git-protocol']

/** Limits disk space too, because fetched data is stored. Without blobs, this is enough for a tree of a million files. */
const limits = { idleTimeoutSeconds: 60, deadlineSeconds: 120, maxResponseBytes: 256 * 1024 * 1024 }

export async function startGitRelay(remote: GitRemote, egress: Egress, signal: AbortSignal): Promise<GitRelay> {
  const secret = randomBytes(32).toString('hex')
  let failure: unknown

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`
    if (!isGitCall(call) || !isEqual(request.headers['x-colophon-relay'], secret)) {
      response.writeHead(403).end()
      return
    }
    const clientClosed = new AbortController()
    response.on('close', () => clientClosed.abort())
    try {
      const hostResponse = await callGitHost(remote, egress, call, {
        headers: forwardedHeadersOf(request),
        body: request.method === 'POST' ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null,
        signal: AbortSignal.any([signal, clientClosed.signal]),
        limits,
      })
      response.writeHead(200, {
        'content-type': hostResponse.headers.get('content-type') ?? 'application/octet-stream',
      })
      await pipeline(Readable.fromWeb(hostResponse.body as Parameters<typeof Readable.fromWeb>[0]), response)
    } catch (error) {
      if (!clientClosed.signal.aborted) failure ??= toCodeHostError(error)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
  }

  const server = createServer((request, response) => void relay(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    header: `X-Colophon-Relay: ${secret}`,
    popFailure() {
      const lastFailure = failure
      failure = undefined
      return lastFailure
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function forwardedHeadersOf(request: IncomingMessage): [string, string][] {
  return forwardedHeaders.flatMap((name): [string, string][] => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
}

function isEqual(candidate: string | string[] | undefined, secret: string): boolean {
  return (
    typeof candidate === 'string' &&
    candidate.length === secret.length &&
    timingSafeEqual(Buffer.from(candidate), Buffer.from(secret))
  )
}
