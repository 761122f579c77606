import { isIPv6 } from 'node:net'

/** Where somebody asks from, for limits: of IPv6 a whole /64, for that is the least that a single customer is given. */
export function placeOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [before = '', after] = address
    .replace(/%.*$/, '')
    .replace(/[\d.]+\.\d+$/, '0:0')
    .split('::')
  const groups = (part = '') => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const first = groups(before)
  const last = groups(after)
  const zeros = Array<number>(8 - first.length - last.length).fill(0)
  const network = [...first, ...zeros, ...last].slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
