import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { StreamAction } from './stream-actions.ts'

/** Returns undefined for a body that is too large, and leaves the rest unread. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function sendJson(status: number, body: object, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export async function runStreamActions(
  actions: Iterable<StreamAction>,
  response: ServerResponse,
): Promise<'completed' | 'cut' | 'client_gone'> {
  const disconnected = new AbortController()
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  response.once('close', () => disconnected.abort())
  response.flushHeaders() // otherwise a silence before the first chunk would delay the status too
  for (const action of actions) {
    switch (action.kind) {
      case 'send':
        // Waiting for the write keeps a huge response out of memory, and sends it before a cut. The callback of a write
        // to a client that stopped reading and disconnected is never called (tried).
        await Promise.race([new Promise((written) => response.write(action.chunk, written)), closed])
        break
      case 'wait':
        await wait(action.milliseconds, undefined, { signal: disconnected.signal }).catch(() => undefined)
        break
      case 'cut':
        response.destroy()
        return 'cut'
    }
    if (disconnected.signal.aborted) return 'client_gone'
  }
  response.end()
  return 'completed'
}
