import type { Fault } from './script.ts'

export type Action = { kind: 'send'; chunk: string } | { kind: 'wait'; milliseconds: number } | { kind: 'cut' }

/** A refusal by status never gets as far as a stream. */
export type StreamFault = Exclude<Fault, { kind: 'status' }>

/** What to do with the socket. An answer shorter than the fault's `afterChunks` is struck before its last chunk. */
export function* playback(chunks: Iterable<string>, fault: StreamFault | undefined): Generator<Action> {
  let sent = 0
  for (const { chunk, isLast } of markLast(chunks)) {
    switch (fault?.kind) {
      case 'drip':
        if (sent > 0) yield { kind: 'wait', milliseconds: fault.milliseconds }
        break
      case 'cut':
        if (sent === fault.afterChunks || isLast) return yield { kind: 'cut' }
        break
      case 'silence':
        if (sent === fault.afterChunks || (isLast && sent < fault.afterChunks))
          yield { kind: 'wait', milliseconds: fault.milliseconds }
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
