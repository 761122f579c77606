/**
 * A relay between a process and PostgreSQL. For some calls the server does the work, and its response is lost together with the
 * connection: the caller cannot know whether the work was done.
 */
import { startRelay } from './relay.ts'
import type { ConnectionInspector } from './relay-connection.ts'

export interface LossyPostgresRelay {
  /** The URL of PostgreSQL through the relay. */
  url: string
  /** Sessions with a call in progress or an open transaction. */
  inFlight(): number
  count: { calls: number; lost: number; lostCommits: number }
  stop(): Promise<void>
}

export async function startLossyPostgresRelay(
  serviceUrl: string,
  shouldLose: () => boolean,
): Promise<LossyPostgresRelay> {
  const sessions = new Set<Session>()
  const count = { calls: 0, lost: 0, lostCommits: 0 }
  const { url, stop } = await startRelay(serviceUrl, {
    inspect() {
      const session = createSession(shouldLose, count)
      sessions.add(session)
      return { ...session, onClose: () => void sessions.delete(session) }
    },
  })
  return { url, count, stop, inFlight: () => [...sessions].filter((session) => session.isBusy()).length }
}

interface Session extends Omit<ConnectionInspector, 'onClose'> {
  isBusy(): boolean
}

/**
 * A call ends with Query or Sync, and its response with ReadyForQuery. Our client does not pipeline: it sends the next call only
 * after the response, so that everything in between belongs to one call.
 */
function createSession(shouldLose: () => boolean, count: LossyPostgresRelay['count']): Session {
  const clientMessages = new MessageReader({ firstHasNoType: true })
  const serviceMessages = new MessageReader({ firstHasNoType: false })
  let hasOpenCall = false
  let loseResponse = false
  let inTransaction = false
  let committed = false
  return {
    isBusy: () => hasOpenCall || inTransaction,
    fromClient(chunk) {
      for (const { type } of clientMessages.read(chunk)) {
        if (type !== 'Q' && type !== 'S') continue
        count.calls++
        hasOpenCall = true
        loseResponse = shouldLose()
        committed = false
      }
    },
    fromService(chunk) {
      for (const { type, body } of serviceMessages.read(chunk)) {
        if (type === 'C' && body.toString().startsWith('COMMIT')) committed = true
        if (type !== 'Z') continue
        hasOpenCall = false
        inTransaction = body.toString() !== 'I'
        if (!loseResponse) continue
        count.lost++
        if (committed) count.lostCommits++
        return 'close'
      }
      return loseResponse ? 'drop' : 'forward'
    },
  }
}

interface Message {
  type: string
  body: Buffer
}

/**
 * A message is a type letter, a four-byte length that includes itself, and the body. Only the client's first message has no
 * type.
 */
class MessageReader {
  #rest = Buffer.alloc(0)
  #typeBytes: 0 | 1

  constructor({ firstHasNoType }: { firstHasNoType: boolean }) {
    this.#typeBytes = firstHasNoType ? 0 : 1
  }

  *read(chunk: Buffer): Generator<Message> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    while (this.#rest.length >= this.#typeBytes + 4) {
      const sizeBytes = this.#typeBytes + this.#rest.readUInt32BE(this.#typeBytes)
      if (this.#rest.length < sizeBytes) return
      const type = this.#rest.toString('latin1', 0, this.#typeBytes)
      const body = this.#rest.subarray(this.#typeBytes + 4, sizeBytes)
      this.#rest = this.#rest.subarray(sizeBytes)
      this.#typeBytes = 1
      yield { type, body }
    }
  }
}
