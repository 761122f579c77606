import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Action } from './playback.ts'

/** Undefined for a body that is longer than allowed; the rest of it is left unread. */
export async function readBody(request: IncomingMessage, largestBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    sizeBytes += chunk.length
    if (sizeBytes > largestBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

export function sendJson(status: number, body: object, response: ServerResponse): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export async function perform(
  actions: Iterable<Action>,
  response: ServerResponse,
): Promise<'answered' | 'cut' | 'client_gone'> {
  const gone = new AbortController()
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  response.once('close', () => gone.abort())
  response.flushHeaders() // else a silence before the first chunk would hold the status back too
  for (const action of actions) {
    switch (action.kind) {
      case 'send':
        // Waiting until it is written keeps a huge answer out of memory, and gets it out before a cut. A write to a
        // client that stopped reading and went away is never called back (tried).
        await Promise.race([new Promise((written) => response.write(action.chunk, written)), closed])
        break
      case 'wait':
        await wait(action.milliseconds, undefined, { signal: gone.signal }).catch(() => undefined)
        break
      case 'cut':
        response.destroy()
        return 'cut'
    }
    if (gone.signal.aborted) return 'client_gone'
  }
  response.end()
  return 'answered'
}
