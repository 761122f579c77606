/** A TCP relay between a process and a service, which injects faults for this process only. */
import { type AddressInfo, createServer, type Server } from 'node:net'
import { type ConnectionInspector, RelayConnection } from './relay-connection.ts'
import type { RelayFault } from './relay-fault.ts'

export interface Relay {
  /** The URL of the service through the relay, with the credentials and the path of the service's own URL. */
  url: string
  /** Bytes from the process to the service: 0 prove that it sent nothing. */
  sentBytes(): number
  /**
   * Applies to connections that exist and to new ones. A connection on which data was dropped is closed as soon as the new fault
   * would deliver later data.
   */
  setFault(fault: RelayFault): Promise<void>
  /**
   * New connections go to another service, for example to a standby that was promoted. Those that exist are silent from now on,
   * because the machine at their other end is gone.
   */
  replaceService(newServiceUrl: string): void
  stop(): Promise<void>
}

export interface RelayOptions {
  inspect?: () => ConnectionInspector
  /** The relay connects to the service from this address (127.0.0.0/8), so that packets of one machine can be told apart. */
  localAddress?: string
}

/** For an address that is not a URL, such as Temporal's, pass `tcp://host:port`, and use the host of `url`. */
export async function startRelay(serviceUrl: string, { inspect, localAddress }: RelayOptions = {}): Promise<Relay> {
  const toConnectOptions = (url: string) => {
    const { hostname, port: servicePort } = new URL(url)
    return { host: hostname, port: Number(servicePort), ...(localAddress && { localAddress }) }
  }
  let service = toConnectOptions(serviceUrl)
  const connections = new Set<RelayConnection>()
  const abandonedConnections = new Set<RelayConnection>()
  let fault: RelayFault = { kind: 'none' }
  let sentBytes = 0

  const listen = (port: number) =>
    new Promise<Server>((resolve, reject) => {
      // Half-open: one side can end before the other has sent everything, and a fault can lose this.
      const listening = createServer({ allowHalfOpen: true }, (client) => {
        const connection: RelayConnection = new RelayConnection(client, {
          service,
          fault,
          inspector: inspect?.(),
          onSentBytes: (count) => {
            sentBytes += count
          },
          onClose: () => {
            connections.delete(connection)
            abandonedConnections.delete(connection)
          },
        })
        connections.add(connection)
      })
      listening.on('error', reject).listen(port, '127.0.0.1', () => resolve(listening))
    })

  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  const cut = async () => {
    const closing = server
    server = undefined
    if (!closing) return
    const closed = new Promise((resolve) => closing.close(resolve))
    for (const connection of [...connections, ...abandonedConnections]) connection.close()
    await closed
  }
  const change = async (newFault: RelayFault) => {
    fault = newFault
    if (newFault.kind === 'cut') return await cut()
    for (const connection of connections) connection.setFault(newFault)
    server ??= await listen(port)
  }
  let lastChange = Promise.resolve() // one at a time: the port cannot be used again before it is closed
  const setFault = (newFault: RelayFault) => {
    lastChange = lastChange.catch(() => {}).then(() => change(newFault))
    return lastChange
  }
  return {
    url: relayedUrl(serviceUrl, port),
    sentBytes: () => sentBytes,
    setFault,
    replaceService(newServiceUrl) {
      service = toConnectOptions(newServiceUrl)
      for (const connection of connections) {
        connection.setFault({ kind: 'silence' })
        abandonedConnections.add(connection)
      }
      connections.clear()
    },
    stop: () => setFault({ kind: 'cut' }),
  }
}

/** The same URL with the address of a relay. */
export function relayedUrl(serviceUrl: string, port: number): string {
  const url = new URL(serviceUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href.replace(/\/$/, '')
}
