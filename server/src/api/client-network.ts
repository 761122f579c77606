import { isIPv4, isIPv6 } from 'node:net'

/** The network of a client, as a rate-limit key. For IPv6 it is the /64, the smallest network that a provider assigns to a customer. */
export function toClientNetwork(address: string): string {
  const unmapped = unmap(address)
  return isIPv6(unmapped) ? toIpv6Network(unmapped, 4) : unmapped
}

/** A larger network, for what is stored: an IPv4 /24 or an IPv6 /48. */
export function toCoarseNetwork(address: string): string {
  const unmapped = unmap(address)
  if (isIPv6(unmapped)) return toIpv6Network(unmapped, 3)
  return isIPv4(unmapped) ? unmapped.replace(/\.\d+$/, '.0/24') : ''
}

const unmap = (address: string) => /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address

function toIpv6Network(address: string, groupCount: number): string {
  const [before = '', after] = address
    .replace(/%.*$/, '')
    .replace(/[\d.]+\.\d+$/, '0:0')
    .split('::')
  const groups = (part = '') => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const leading = groups(before)
  const trailing = groups(after)
  const zeros = Array<number>(8 - leading.length - trailing.length).fill(0)
  const network = [...leading, ...zeros, ...trailing].slice(0, groupCount)
  return `${network.map((group) => group.toString(16)).join(':')}::/${groupCount * 16}`
}
