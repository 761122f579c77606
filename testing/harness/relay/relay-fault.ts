/**
 * The faults of a relay, as seen by the process behind it (the client) and the service.
 *
 * - `silence`: the network of the machine is gone. Connections stay open and new ones are accepted, but all data vanishes, and
 *   neither side learns that the other one has closed its connection.
 * - `hold`: the same, but TCP still retransmits: `none` delivers everything in order, also the ends of connections.
 * - `trickle`: what the service sends on a connection arrives at this rate.
 * - `delay`: everything arrives later, in order.
 * - `cut`: all connections are closed, and new ones are refused.
 * - `lose_responses`: the service receives everything, but nothing that it sends arrives.
 */
export type RelayFault =
  | { kind: 'none' }
  | { kind: 'silence' }
  | { kind: 'hold' }
  | { kind: 'trickle'; bytesPerSecond: number }
  | { kind: 'delay'; delayMs: number }
  | { kind: 'cut' }
  | { kind: 'lose_responses' }

/** What happens to the data of one direction of a connection. */
export type Flow =
  | { kind: 'pass' }
  | { kind: 'drop' }
  | { kind: 'hold' }
  | { kind: 'trickle'; bytesPerSecond: number }
  | { kind: 'delay'; delayMs: number }

interface ConnectionFlows {
  toService: Flow
  toClient: Flow
}

export function flowsOf(fault: RelayFault): ConnectionFlows {
  switch (fault.kind) {
    case 'silence':
      return { toService: { kind: 'drop' }, toClient: { kind: 'drop' } }
    case 'lose_responses':
      return { toService: { kind: 'pass' }, toClient: { kind: 'drop' } }
    case 'trickle':
      return { toService: { kind: 'pass' }, toClient: fault }
    case 'hold':
    case 'delay':
      return { toService: fault, toClient: fault }
    case 'none':
    case 'cut':
      return { toService: { kind: 'pass' }, toClient: { kind: 'pass' } }
  }
}
