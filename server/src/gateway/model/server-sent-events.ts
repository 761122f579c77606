/** Parses server-sent events one by one, and serializes them. */
export interface ServerSentEvent {
  /** Empty if the event has none. */
  name: string
  data: string
}

const maxEventCharacters = 16 * 1024 * 1024 // the last event of OpenAI repeats the whole response

/** Drops comments, ids and retry times. Throws if an event is too large. */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = { name: '', data: [] as string[] }
  for await (const line of readLines(body)) {
    if (line === '') {
      if (event.data.length > 0) yield { name: event.name, data: event.data.join('\n') }
      event = { name: '', data: [] }
    } else if (line.startsWith('event:')) event.name = fieldValue(line)
    else if (line.startsWith('data:')) event.data.push(fieldValue(line))
  }
  // The standard drops an event without a blank line after it; some servers omit it after the last one.
  if (event.data.length > 0) yield { name: event.name, data: event.data.join('\n') }
}

export function formatServerSentEvent({ name, data }: ServerSentEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${name && `event: ${name}\n`}${lines.join('')}\n`
}

const fieldValue = (line: string) => line.slice(line.indexOf(':') + 1).replace(/^ /, '')

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = [] // of an incomplete line: joined only once, because repeated concatenation would be quadratic
  let characters = 0
  let pendingReturn = '' // a carriage return whose line feed may follow
  for await (const chunk of body) {
    let text = pendingReturn + decoder.decode(chunk, { stream: true })
    pendingReturn = text.endsWith('\r') ? '\r' : ''
    text = text.slice(0, text.length - pendingReturn.length)
    characters += text.length
    if (characters > maxEventCharacters) throw new Error('a line of the stream is too long')
    pieces.push(text)
    if (!/[\r\n]/.test(text)) continue
    const lines = pieces.join('').split(/\r\n|\r|\n/)
    const last = lines.pop() ?? ''
    pieces = [last]
    characters = last.length
    yield* lines
  }
  const remaining = pieces.join('') + pendingReturn + decoder.decode()
  if (remaining !== '') yield* remaining.split(/\r\n|\r|\n/)
}
