import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

/** The addresses of a name. Called for every query, so they may change. `undefined`: the server does not respond. */
export type DnsZoneLookup = (name: string, family: 4 | 6) => string[] | undefined

/** A real name server on loopback, and a resolver that queries only this server. */
export async function startDnsServer(zone: DnsZoneLookup): Promise<{ dns: Resolver; stop: () => Promise<void> }> {
  const socket = createSocket('udp4')
  socket.on('message', (query, sender) => {
    const response = responseTo(query, zone)
    if (response) socket.send(response, sender.port, sender.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const dns = new Resolver({ timeout: 1500, tries: 1 })
  dns.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    dns,
    stop: async () => {
      dns.cancel()
      socket.close()
      await once(socket, 'close')
    },
  }
}

const headerBytes = 12

function responseTo(query: Buffer, zone: DnsZoneLookup): Buffer | undefined {
  const labels: string[] = []
  let offset = headerBytes
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  const isAaaaQuery = query.readUInt16BE(offset + 1) === 28
  const question = query.subarray(headerBytes, offset + 5)
  const addresses = zone(labels.join('.').toLowerCase(), isAaaaQuery ? 6 : 4)
  if (!addresses) return undefined

  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(0x8180, 2) // a response without an error
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  return Buffer.concat([header, question, ...addresses.map(resourceRecord)])
}

function resourceRecord(address: string): Buffer {
  const data = Buffer.from(isIPv6(address) ? ipv6Bytes(address) : address.split('.').map(Number))
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc000 | headerBytes, 0) // pointer to the name in the question section
  record.writeUInt16BE(isIPv6(address) ? 28 : 1, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(0, 6) // TTL 0: not cacheable
  record.writeUInt16BE(data.length, 10)
  return Buffer.concat([record, data])
}

function ipv6Bytes(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [head = [], tail = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean))
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail]
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
}
