/**
 * A simulated machine: one process of Colophon that reaches every service, and is reached, only through relays with a loopback
 * address of their own. If packets can be dropped, the services notice like with a real machine that its kernel is gone.
 */
import type { CleanUp } from '../../testing/harness/colophon.ts'
import { canDropPackets, type PacketLoss, startPacketLoss } from '../../testing/harness/faults/packet-loss.ts'
import { type Relay, startRelay } from '../../testing/harness/relay/relay.ts'
import type { ConnectionInspector } from '../../testing/harness/relay/relay-connection.ts'
import type { RelayFault } from '../../testing/harness/relay/relay-fault.ts'
import type { ManagedProcess } from '../../testing/services/managed-process.ts'

/** ReadyForQuery in a transaction: PostgreSQL has executed a statement, and waits for the next one. */
const readyInTransaction = Buffer.from([0x5a, 0, 0, 0, 5, 0x54])

export class Machine {
  readonly name: string
  /** From 127.0.0.0/8. */
  readonly address: string
  readonly #run: CleanUp
  readonly #relays: Relay[] = []
  readonly #dropsPackets: boolean
  #packetLoss: PacketLoss | undefined
  #process: ManagedProcess | undefined
  #vanishWhen: { statement: RegExp; onVanish(): void } | undefined

  static async create(run: CleanUp, name: string, address: string): Promise<Machine> {
    return new Machine(run, name, address, await canDropPackets())
  }

  private constructor(run: CleanUp, name: string, address: string, dropsPackets: boolean) {
    this.#run = run
    this.name = name
    this.address = address
    this.#dropsPackets = dropsPackets
  }

  get process(): ManagedProcess {
    if (!this.#process) throw new Error(`${this.name} has no process.`)
    return this.#process
  }

  /** For example after a restart with other settings. */
  set process(process: ManagedProcess) {
    this.#process = process
  }

  async relayTo(serviceUrl: string, kind: 'postgres' | 'other' = 'other'): Promise<Relay> {
    const relay = await startRelay(serviceUrl, {
      localAddress: this.address,
      ...(kind === 'postgres' && { inspect: () => this.#inspectPostgres() }),
    })
    this.#relays.push(relay)
    this.#run.cleanUp(relay.stop)
    return relay
  }

  /** The machine loses its network. TCP still retransmits, so that it continues where it was when it comes back. */
  async vanish(): Promise<void> {
    this.#vanishWhen = undefined
    const holding = this.#setFault({ kind: 'hold' }) // takes effect before the next data arrives
    if (this.#dropsPackets) this.#packetLoss = await startPacketLoss(this.address)
    await holding
  }

  /** Vanishes in an open transaction, after PostgreSQL has executed a statement that matches. */
  async vanishInTransaction(statement: RegExp, withinMs: number): Promise<'in transaction' | 'at any time'> {
    const { promise, resolve } = Promise.withResolvers<'in transaction'>()
    this.#vanishWhen = { statement, onVanish: () => resolve('in transaction') }
    const timer = setTimeout(() => void this.vanish(), withinMs)
    const when = await Promise.race([promise, sleepUntil(withinMs + 100)])
    clearTimeout(timer)
    return when ?? 'at any time'
  }

  async comeBack(): Promise<void> {
    await this.#packetLoss?.stop()
    this.#packetLoss = undefined
    await this.#setFault({ kind: 'none' })
  }

  async #setFault(fault: RelayFault): Promise<void> {
    await Promise.all(this.#relays.map((relay) => relay.setFault(fault)))
  }

  #inspectPostgres(): ConnectionInspector {
    let hasMatched = false
    return {
      fromClient: (chunk) => {
        if (this.#vanishWhen?.statement.test(chunk.toString('latin1'))) hasMatched = true
      },
      fromService: (chunk) => {
        const condition = this.#vanishWhen
        if (!hasMatched || !condition || !chunk.includes(readyInTransaction)) return 'forward'
        void this.vanish().then(condition.onVanish)
        return 'forward'
      },
      onClose: () => {},
    }
  }
}

const sleepUntil = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms, undefined))
