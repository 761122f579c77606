/** Stands between a process and an engine, and can be cut: the engine is away for this process alone. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface CuttableRelay {
  /** `host:port`, the engine's address through the relay. */
  address: string
  /** Connections break, and new ones are refused. */
  cut(): Promise<void>
  /** Connections stay and new ones are taken, but nothing comes through any more. */
  silence(): void
  mend(): Promise<void>
  stop(): Promise<void>
}

export async function startCuttableRelay(serviceAddress: string): Promise<CuttableRelay> {
  const [host = '', servicePort] = serviceAddress.split(':')
  const sockets = new Set<Socket>()
  let isSilent = false

  const pass = (client: Socket) => {
    const engine = connect(Number(servicePort), host)
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => {
        if (!isSilent) to.write(chunk)
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
      const server = createServer(pass)
      server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
    })
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }

  let server: Server | undefined = await listen(0)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    const closing = server
    server = undefined
    if (closing) await new Promise((resolve) => [closing.close(resolve), breakAll()])
  }
  return {
    address: `127.0.0.1:${port}`,
    cut: close,
    silence() {
      isSilent = true
    },
    async mend() {
      if (isSilent) breakAll() // what was swallowed is missing from these
      isSilent = false
      server ??= await listen(port)
    },
    stop: close,
  }
}
