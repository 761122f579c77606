import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { BlockList, connect, isIPv6, type Socket } from 'node:net'

export type ConnectionAttempts = {
  /** The addresses, in the order of the attempts. */
  addresses: string[]
  clear: () => void
  stop: () => void
}

/** Records every address to which this process starts a TCP connection, and blocks all but those to loopback. */
export async function recordConnectionAttempts(): Promise<ConnectionAttempts> {
  const nonLoopback = new BlockList()
  nonLoopback.addRange('0.0.0.1', '126.255.255.255')
  nonLoopback.addRange('128.0.0.0', '255.255.255.255')
  nonLoopback.addRange('::2', '::fffe:ffff:ffff', 'ipv6') // up to the mapped IPv4 addresses, which are covered above
  nonLoopback.addRange('::1:0:0:0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'ipv6')

  const seen: string[] = []
  const record = (address: string) => void seen.push(canonical(address))
  const watch = (message: unknown) => {
    const { socket } = message as { socket: Socket & { blockList?: BlockList } }
    socket.blockList = nonLoopback
    socket.on('connectionAttempt', record)
    // with several addresses Node rejects the blocked ones before it would emit `connectionAttempt`
    socket.on('connectionAttemptFailed', (address, _port, _family, error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_IP_BLOCKED') record(address)
    })
  }
  subscribe('net.client.socket', watch)

  const probe = '192.0.2.1'
  const outcome = await once(connect({ host: probe, port: 9 }), 'connect').catch((error) => error.code)
  if (outcome !== 'ERR_IP_BLOCKED' || seen.join() !== probe) throw new Error('Connection attempts are not recorded.')

  const forget = () => void seen.splice(0)
  forget()
  return { addresses: seen, clear: forget, stop: () => void unsubscribe('net.client.socket', watch) }
}

function canonical(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
}
