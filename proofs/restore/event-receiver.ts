/** Receives the events of all projects, slowly, so that some are always pending. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CleanUp } from '../../testing/harness/colophon.ts'

const responseMs = 700

export interface EventReceiver {
  host: string
  /** When each event was received, by its ID. */
  received: Map<string, number[]>
}

export async function startEventReceiver({ cleanUp }: CleanUp): Promise<EventReceiver> {
  const received: EventReceiver['received'] = new Map()
  const server = createServer(async (request, response) => {
    request.resume()
    const id = String(request.headers['webhook-id'])
    received.set(id, [...(received.get(id) ?? []), performance.now()])
    await sleep(responseMs)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
