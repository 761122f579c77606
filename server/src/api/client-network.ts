import { isIPv6 } from 'node:net'

/** The network of a client, as a rate-limit key. For IPv6 it is the /64, the smallest network that a provider assigns to a customer. */
export function toClientNetwork(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [before = '', after] = address
    .replace(/%.*$/, '')
    .replace(/[\d.]+\.\d+$/, '0:0')
    .split('::')
  const groups = (part = '') => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const leading = groups(before)
  const trailing = groups(after)
  const zeros = Array<number>(8 - leading.length - trailing.length).fill(0)
  const network = [...leading, ...zeros, ...trailing].slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
