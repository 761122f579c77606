/**
 * A relay between a process and PostgreSQL. For some calls the server does the work, and its response is lost together with the
 * connection: the caller cannot know whether the work was done.
 */
import { connect, createServer, type Socket } from 'node:net'

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
  const url = new URL(serviceUrl)
  const host = url.hostname
  const port = Number(url.port)
  const sessions = new Set<Session>()
  const count = { calls: 0, lost: 0, lostCommits: 0 }
  const server = createServer((client) => {
    const session = openSession(client, connect(port, host), {
      shouldLose,
      count,
      onEnd: () => sessions.delete(session),
    })
    sessions.add(session)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay does not listen on a TCP port')
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
 * A call ends with Query or Sync, and its response with ReadyForQuery. Our client does not pipeline: it sends the next call only
 * after the response, so that everything in between belongs to one call.
 */
function openSession(
  client: Socket,
  upstream: Socket,
  { shouldLose, count, onEnd }: { shouldLose: () => boolean; count: LossyPostgresRelay['count']; onEnd: () => void },
): Session {
  const fromClient = new MessageReader({ firstHasNoType: true })
  const fromUpstream = new MessageReader({ firstHasNoType: false })
  let hasOpenCall = false
  let loseResponse = false
  let inTransaction = false
  let committed = false

  client.on('data', (chunk) => {
    for (const { type } of fromClient.read(chunk)) {
      if (type !== 'Q' && type !== 'S') continue
      count.calls++
      hasOpenCall = true
      loseResponse = shouldLose()
      committed = false
    }
    upstream.write(chunk)
  })
  upstream.on('data', (chunk) => {
    for (const { type, body } of fromUpstream.read(chunk)) {
      if (type === 'C' && body.toString().startsWith('COMMIT')) committed = true
      if (type !== 'Z') continue
      hasOpenCall = false
      inTransaction = body.toString() !== 'I'
      if (!loseResponse) continue
      count.lost++
      if (committed) count.lostCommits++
      return end()
    }
    if (!loseResponse) client.write(chunk)
  })
  const end = () => {
    client.destroy()
    upstream.destroy()
    onEnd()
  }
  for (const socket of [client, upstream]) socket.on('error', () => {}).on('close', end)
  return { isBusy: () => hasOpenCall || inTransaction, end }
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
