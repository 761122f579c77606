/**
 * Between the git binary and the code host: git speaks plain HTTP to this relay on loopback, and the relay calls the host
 * through `platform/egress`. So git needs no way out of its own, the operator's proxy, certificates and lists hold for it
 * too, the token is never in a child process, and a failure is known by the host's status instead of by git's words.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Egress } from '../../platform/egress/egress.ts'
import type { GitRemote } from '../code-host.ts'
import { failureOfCall } from '../code-host-error.ts'
import { callGitHost, type GitCall, pushCalls, readCalls } from './call-git-host.ts'

export type GitRelay = {
  url: string
  /** For `http.extraHeader`: other programs on this machine can reach the port, but do not know this. */
  header: string
  /** What went wrong with the host since the last time this was asked. */
  takeFailure(): unknown
  close(): void
}

const calls: readonly string[] = [...readCalls, ...pushCalls]
const isGitCall = (call: string): call is GitCall => calls.includes(call)
const passedOn = ['accept', 'content-type', 'content-encoding', 'content-length', 'git-protocol']

/** Bounds the disk too: what is fetched is kept. Without files' contents, this is a tree of a million files. */
const limits = { silenceSeconds: 60, deadlineSeconds: 120, maxResponseBytes: 256 * 1024 * 1024 }

export async function startGitRelay(remote: GitRemote, egress: Egress, signal: AbortSignal): Promise<GitRelay> {
  const secret = randomBytes(32).toString('hex')
  let failure: unknown

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = `${request.method} ${request.url}`
    if (!isGitCall(call) || !isEqual(request.headers['x-colophon-relay'], secret)) {
      response.writeHead(403).end()
      return
    }
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    try {
      const answer = await callGitHost(remote, egress, call, {
        headers: headersOf(request),
        body: request.method === 'POST' ? (Readable.toWeb(request) as ReadableStream<Uint8Array>) : null,
        signal: AbortSignal.any([signal, gone.signal]),
        limits,
      })
      response.writeHead(200, { 'content-type': answer.headers.get('content-type') ?? 'application/octet-stream' })
      await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response)
    } catch (error) {
      if (!gone.signal.aborted) failure ??= failureOfCall(error)
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
    takeFailure() {
      const taken = failure
      failure = undefined
      return taken
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function headersOf(request: IncomingMessage): [string, string][] {
  return passedOn.flatMap((name): [string, string][] => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
}

function isEqual(given: string | string[] | undefined, secret: string): boolean {
  return (
    typeof given === 'string' &&
    given.length === secret.length &&
    timingSafeEqual(Buffer.from(given), Buffer.from(secret))
  )
}
