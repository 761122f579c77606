/** Server-sent events, read one by one and written anew. */
export interface ServerSentEvent {
  /** Empty where there is none. */
  name: string
  data: string
}

const maxEventCharacters = 16 * 1024 * 1024 // OpenAI's last event repeats the whole answer

/** Comments, ids and retry times are left out. Throws where one event is too large. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event = { name: '', data: [] as string[] }
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (event.data.length > 0) yield { name: event.name, data: event.data.join('\n') }
      event = { name: '', data: [] }
    } else if (line.startsWith('event:')) event.name = valueIn(line)
    else if (line.startsWith('data:')) event.data.push(valueIn(line))
  }
  // The standard drops an event without its blank line; some servers forget it after the last one.
  if (event.data.length > 0) yield { name: event.name, data: event.data.join('\n') }
}

export function writeEvent({ name, data }: ServerSentEvent): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${name && `event: ${name}\n`}${lines.join('')}\n`
}

const valueIn = (line: string) => line.slice(line.indexOf(':') + 1).replace(/^ /, '')

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = [] // of a line whose end is not here yet: joined once, or a long line would cost its square
  let characters = 0
  let held = '' // a carriage return whose line feed may still come
  for await (const chunk of body) {
    let text = held + decoder.decode(chunk, { stream: true })
    held = text.endsWith('\r') ? '\r' : ''
    text = text.slice(0, text.length - held.length)
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
  const rest = pieces.join('') + held + decoder.decode()
  if (rest !== '') yield* rest.split(/\r\n|\r|\n/)
}
