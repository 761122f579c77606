/** A TCP relay between a process and a service that can be interrupted: the service is then down for this process only. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface InterruptibleRelay {
  /** `host:port` of the service through the relay. */
  address: string
  /** Closes all connections and refuses new ones. */
  disconnect(): Promise<void>
  /** Keeps connections open and accepts new ones, but drops all data. */
  blackhole(): void
  restore(): Promise<void>
  stop(): Promise<void>
}

export async function startInterruptibleRelay(serviceAddress: string): Promise<InterruptibleRelay> {
  const [host = '', servicePort] = serviceAddress.split(':')
  const sockets = new Set<Socket>()
  let dropsData = false

  const relay = (client: Socket) => {
    const upstream = connect(Number(servicePort), host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => {
        if (!dropsData) to.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }
  const listen = (port: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer(relay)
      server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
    })
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }

  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closing = server
    server = undefined
    if (closing) await new Promise((resolve) => [closing.close(resolve), destroyAll()])
  }
  return {
    address: `127.0.0.1:${port}`,
    disconnect: close,
    blackhole() {
      dropsData = true
    },
    async restore() {
      if (dropsData) destroyAll() // data was dropped on these
      dropsData = false
      server ??= await listen(port)
    },
    stop: close,
  }
}
