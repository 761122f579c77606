import { BlockList, isIP } from 'node:net'
import { type FieldError, Problem } from '../platform/http/problem.ts'
import type { Scope } from './scopes.ts'

/** What a key is allowed. */
export interface KeyGrant {
  scopes: readonly Scope[]
  /** In CIDR form; empty: from everywhere. */
  allowedNetworks: readonly string[]
  /** Null: never. */
  expiresAt: Date | null
}

/** A key may hand on what it has, and no more: or whoever gets hold of a narrow key could make a wide one. */
export function refuseMoreThan(maker: KeyGrant, wanted: KeyGrant): void {
  const errors: FieldError[] = []
  const missing = wanted.scopes.filter((scope) => !maker.scopes.includes(scope))
  if (missing.length > 0)
    errors.push({ path: 'body/scopes', message: `has ${missing.join(', ')}, which your key has not` })
  if (maker.expiresAt && (!wanted.expiresAt || wanted.expiresAt > maker.expiresAt)) {
    errors.push({
      path: 'body/expiresAt',
      message: `is later than your key's own end, ${maker.expiresAt.toISOString()}`,
    })
  }
  const outside = wanted.allowedNetworks.filter((network) => !isNetworkWithin(network, maker.allowedNetworks))
  const everywhere = wanted.allowedNetworks.length === 0 && maker.allowedNetworks.length > 0
  if (outside.length > 0 || everywhere) {
    errors.push({ path: 'body/allowedNetworks', message: "is wider than your key's own networks" })
  }
  const [first] = errors
  if (first) throw new Problem('insufficient_scope', `${first.path} ${first.message}.`, { errors })
}

export function isAddressAllowed(address: string, allowedNetworks: readonly string[]): boolean {
  return allowedNetworks.length === 0 || contains(allowedNetworks, plainAddress(address))
}

/** An IPv4 client on an IPv6 socket shows as ::ffff:10.0.0.1. */
const plainAddress = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

function contains(networks: readonly string[], address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  const list = new BlockList()
  for (const network of networks) {
    const { base, bits, family } = parseNetwork(network)
    list.addSubnet(base, bits, family)
  }
  return list.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

function isNetworkWithin(network: string, outer: readonly string[]): boolean {
  if (outer.length === 0) return true
  const { base, bits, family } = parseNetwork(network)
  const wider = outer.filter((candidate) => {
    const { bits: outerBits, family: outerFamily } = parseNetwork(candidate)
    return outerFamily === family && outerBits <= bits // a mask of 8 bits means another thing in each family
  })
  return contains(wider, base)
}

function parseNetwork(network: string): { base: string; bits: number; family: 'ipv4' | 'ipv6' } {
  const [base = '', bits] = network.split('/')
  const family = isIP(base) === 6 ? 'ipv6' : 'ipv4'
  return { base, bits: bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family }
}

/** The reason why this is no network, or undefined. */
export function networkMistake(text: string): string | undefined {
  const [base = '', bits, ...rest] = text.split('/')
  const version = isIP(base)
  const most = version === 4 ? 32 : 128
  // ::ffff:10.0.0.0/8 would mean ::/8, and with it every IPv4 address.
  if (/^::ffff:/i.test(base) || (version === 6 && base.includes('.')))
    return `${text} is an IPv4 network in IPv6 form: write it as IPv4`
  if (version === 0 || base.includes('%') || rest.length > 0) return `${text} is not a network like 203.0.113.0/24`
  if (bits !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > most))
    return `${text} has no mask from 0 to ${most}`
  return undefined
}
