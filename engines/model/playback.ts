import type { Trouble } from './script.ts'

export type Action = { kind: 'send'; chunk: string } | { kind: 'wait'; milliseconds: number } | { kind: 'cut' }

/** A refusal by status never gets as far as a stream. */
export type StreamTrouble = Exclude<Trouble, { kind: 'status' }>

/** What to do with the socket. An answer shorter than the trouble's `afterChunks` is struck before its last chunk. */
export function* playback(chunks: Iterable<string>, trouble: StreamTrouble | undefined): Generator<Action> {
  let sent = 0
  for (const { chunk, isLast } of markLast(chunks)) {
    switch (trouble?.kind) {
      case 'drip':
        if (sent > 0) yield { kind: 'wait', milliseconds: trouble.milliseconds }
        break
      case 'cut':
        if (sent === trouble.afterChunks || isLast) return yield { kind: 'cut' }
        break
      case 'silence':
        if (sent === trouble.afterChunks || (isLast && sent < trouble.afterChunks))
          yield { kind: 'wait', milliseconds: trouble.milliseconds }
        break
    }
    yield { kind: 'send', chunk }
    sent += 1
  }
}

function* markLast(chunks: Iterable<string>): Generator<{ chunk: string; isLast: boolean }> {
  let held: string | undefined
  for (const chunk of chunks) {
    if (held !== undefined) yield { chunk: held, isLast: false }
    held = chunk
  }
  if (held !== undefined) yield { chunk: held, isLast: true }
}
