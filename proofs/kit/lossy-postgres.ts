/**
 * Stands between a process and PostgreSQL. Now and then the engine does what it was asked for, and its answer is lost together
 * with the connection: the caller cannot know whether its work was done.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface LossyPostgres {
  /** PostgreSQL's address, through the relay. */
  url: string
  /** Calls without their answer, and transactions that have begun. */
  inFlight(): number
  count: { calls: number; lost: number; lostCommits: number }
  stop(): Promise<void>
}

export async function startLossyPostgres(serviceUrl: string, loses: () => boolean): Promise<LossyPostgres> {
  const url = new URL(serviceUrl)
  const host = url.hostname
  const port = Number(url.port)
  const sessions = new Set<Session>()
  const count = { calls: 0, lost: 0, lostCommits: 0 }
  const server = createServer((client) => {
    const session = openSession(client, connect(port, host), { loses, count, onEnd: () => sessions.delete(session) })
    sessions.add(session)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  url.port = String(address.port)
  return {
    url: url.href,
    inFlight: () => [...sessions].filter((session) => session.isBusy()).length,
    count,
    async stop() {
      for (const session of sessions) session.end()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Session {
  isBusy(): boolean
  end(): void
}

/**
 * A call ends with Query or Sync, and its answer with ReadyForQuery. Our client sends no second call before it has the first
 * one's answer, so that all that comes meanwhile belongs to it.
 */
function openSession(
  client: Socket,
  engine: Socket,
  { loses, count, onEnd }: { loses: () => boolean; count: LossyPostgres['count']; onEnd: () => void },
): Session {
  const fromClient = new MessageReader({ firstHasNoType: true })
  const fromEngine = new MessageReader({ firstHasNoType: false })
  let unanswered = false
  let isLosing = false
  let inTransaction = false
  let committed = false

  client.on('data', (chunk) => {
    for (const { type } of fromClient.read(chunk)) {
      if (type !== 'Q' && type !== 'S') continue
      count.calls++
      unanswered = true
      isLosing = loses()
      committed = false
    }
    engine.write(chunk)
  })
  engine.on('data', (chunk) => {
    for (const { type, body } of fromEngine.read(chunk)) {
      if (type === 'C' && body.toString().startsWith('COMMIT')) committed = true
      if (type !== 'Z') continue
      unanswered = false
      inTransaction = body.toString() !== 'I'
      if (!isLosing) continue
      count.lost++
      if (committed) count.lostCommits++
      return end()
    }
    if (!isLosing) client.write(chunk)
  })
  const end = () => {
    client.destroy()
    engine.destroy()
    onEnd()
  }
  for (const socket of [client, engine]) socket.on('error', () => {}).on('close', end)
  return { isBusy: () => unanswered || inTransaction, end }
}

interface Message {
  type: string
  body: Buffer
}

/** A letter for the type, four bytes for the length with themselves, the body; only the very first has no letter. */
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
