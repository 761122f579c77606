import type { Fault } from './script.ts'

export type StreamAction = { kind: 'send'; chunk: string } | { kind: 'wait'; milliseconds: number } | { kind: 'cut' }

/** A status fault is never part of a stream. */
export type StreamFault = Exclude<Fault, { kind: 'status' }>

/**
 * The actions on the socket. If a response is shorter than the fault's `afterChunks`, the fault occurs before its last
 * chunk.
 */
export function* generateStreamActions(
  chunks: Iterable<string>,
  fault: StreamFault | undefined,
): Generator<StreamAction> {
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
  let previous: string | undefined
  for (const chunk of chunks) {
    if (previous !== undefined) yield { chunk: previous, isLast: false }
    previous = chunk
  }
  if (previous !== undefined) yield { chunk: previous, isLast: true }
}
