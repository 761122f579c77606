import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { BlockList, connect, isIPv6, type Socket } from 'node:net'

export type ConnectionAttempts = {
  /** The addresses, in the order tried. */
  seen: string[]
  forget: () => void
  stop: () => void
}

/** Writes down every address to which this process begins a TCP connection, and lets only those to loopback happen. */
export async function watchConnectionAttempts(): Promise<ConnectionAttempts> {
  const awayFromLoopback = new BlockList()
  awayFromLoopback.addRange('0.0.0.1', '126.255.255.255')
  awayFromLoopback.addRange('128.0.0.0', '255.255.255.255')
  awayFromLoopback.addRange('::2', '::fffe:ffff:ffff', 'ipv6') // up to the mapped IPv4 addresses, judged above
  awayFromLoopback.addRange('::1:0:0:0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ipv6')

  const seen: string[] = []
  const note = (address: string) => void seen.push(canonical(address))
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket & { blockList?: BlockList } }
    socket.blockList = awayFromLoopback
    socket.on('connectionAttempt', note)
    // with several addresses Node stops the blocked ones before it would announce them
    socket.on('connectionAttemptFailed', (address, _port, _family, error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_IP_BLOCKED') note(address)
    })
  }
  subscribe('net.client.socket', watch)

  const probe = '192.0.2.1'
  const outcome = await once(connect({ host: probe, port: 9 }), 'connect').catch((error) => error.code)
  if (outcome !== 'ERR_IP_BLOCKED' || seen.join() !== probe) throw new Error('Connections are not being watched.')

  const forget = () => void seen.splice(0)
  forget()
  return { seen, forget, stop: () => void unsubscribe('net.client.socket', watch) }
}

function canonical(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}
