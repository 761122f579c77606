/** A connection of a process to a relay, and the one of the relay to the service. */
import { Socket, type TcpNetConnectOpts } from 'node:net'
import { flowsOf, type RelayFault } from './relay-fault.ts'
import { RelayStream } from './relay-stream.ts'

/** Sees the data of one connection, before the relay forwards it. */
export interface ConnectionInspector {
  fromClient(chunk: Buffer): void
  fromService(chunk: Buffer): 'forward' | 'drop' | 'close'
  onClose(): void
}

export interface ConnectionOptions {
  service: TcpNetConnectOpts
  fault: RelayFault
  inspector: ConnectionInspector | undefined
  onSentBytes(count: number): void
  onClose(): void
}

export class RelayConnection {
  readonly #client: Socket
  readonly #upstream = new Socket({ allowHalfOpen: true })
  readonly #service: TcpNetConnectOpts
  readonly #toService: RelayStream
  readonly #toClient: RelayStream
  #isConnected = false

  constructor(client: Socket, { service, fault, inspector, onSentBytes, onClose }: ConnectionOptions) {
    this.#client = client
    this.#service = service
    const sockets = [client, this.#upstream]
    for (const socket of sockets) {
      socket.setNoDelay(true)
      socket.on('error', () => {}) // `close` follows
      socket.on('close', () => {
        if (sockets.every(({ destroyed }) => destroyed)) onClose()
      })
    }
    client.on('close', () => inspector?.onClose())
    const flows = flowsOf(fault)
    this.#toService = new RelayStream(client, this.#upstream, flows.toService, (chunk) => {
      onSentBytes(chunk.length)
      inspector?.fromClient(chunk)
      return 'forward'
    })
    this.#toClient = new RelayStream(this.#upstream, client, flows.toClient, (chunk) => {
      const action = inspector?.fromService(chunk) ?? 'forward'
      if (action !== 'close') return action
      this.close()
      return 'drop'
    })
    this.#connectUnlessUnreachable(fault)
  }

  setFault(fault: RelayFault): void {
    const flows = flowsOf(fault)
    this.#connectUnlessUnreachable(fault)
    this.#toService.setFlow(flows.toService)
    this.#toClient.setFlow(flows.toClient)
    if (this.#toService.isBroken || this.#toClient.isBroken) this.close()
  }

  close(): void {
    this.#toService.stop()
    this.#toClient.stop()
    this.#client.destroy()
    this.#upstream.destroy()
  }

  /** A machine without a network cannot connect: the service sees a connection that was accepted meanwhile only afterwards. */
  #connectUnlessUnreachable({ kind }: RelayFault): void {
    if (this.#isConnected || kind === 'silence' || kind === 'hold' || this.#upstream.destroyed) return
    this.#isConnected = true
    this.#upstream.connect(this.#service)
  }
}
