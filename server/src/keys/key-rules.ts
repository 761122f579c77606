import { BlockList, isIP } from 'node:net'
import { type FieldError, Problem } from '../platform/http/problem.ts'
import { type Scope, scopes } from './scopes.ts'

/** The permissions of a key. */
export interface KeyGrant {
  scopes: readonly Scope[]
  /** In CIDR notation. Empty: all networks. */
  allowedNetworks: readonly string[]
  /** Null: the key does not expire. */
  expiresAt: Date | null
}

/**
 * `project:write` amounts to full access: it creates runners, which read the repository, and instructs the agent
 * (docs/decisions/project-write.md). A key that has it without the other scopes would look harmless.
 */
export const findMissingScopes = (granted: readonly Scope[]): readonly Scope[] =>
  granted.includes('project:write') ? scopes.filter((scope) => !granted.includes(scope)) : []

export function assertScopesAreComplete(granted: readonly Scope[]): void {
  const missing = findMissingScopes(granted)
  if (missing.length === 0) return
  const message = `include project:write, which gives full access: add ${missing.join(', ')}, or leave out project:write`
  throw new Problem('invalid_request', `body/scopes ${message}.`, { errors: [{ path: 'body/scopes', message }] })
}

/**
 * A key can grant only permissions that it has itself: otherwise an attacker with a restricted key could create an
 * unrestricted one.
 */
export function assertGrantWithin(creator: KeyGrant, requested: KeyGrant): void {
  const errors: FieldError[] = []
  const missing = requested.scopes.filter((scope) => !creator.scopes.includes(scope))
  if (missing.length > 0)
    errors.push({ path: 'body/scopes', message: `includes ${missing.join(', ')}, which your key does not have` })
  if (creator.expiresAt && (!requested.expiresAt || requested.expiresAt > creator.expiresAt)) {
    errors.push({
      path: 'body/expiresAt',
      message: `is later than your own key expires (${creator.expiresAt.toISOString()})`,
    })
  }
  const disallowed = requested.allowedNetworks.filter((network) => !isNetworkWithin(network, creator.allowedNetworks))
  const allowsAllNetworks = requested.allowedNetworks.length === 0 && creator.allowedNetworks.length > 0
  if (disallowed.length > 0 || allowsAllNetworks) {
    errors.push({ path: 'body/allowedNetworks', message: 'includes networks that your key cannot be used from' })
  }
  const [first] = errors
  if (first) throw new Problem('insufficient_scope', `${first.path} ${first.message}.`, { errors })
}

export function isAddressAllowed(address: string, allowedNetworks: readonly string[]): boolean {
  return allowedNetworks.length === 0 || contains(allowedNetworks, unmapIPv4(address))
}

/** The address of an IPv4 client on an IPv6 socket is ::ffff:10.0.0.1. */
const unmapIPv4 = (address: string) => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

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
  const candidates = outer.filter((candidate) => {
    const { bits: outerBits, family: outerFamily } = parseNetwork(candidate)
    return outerFamily === family && outerBits <= bits // a prefix length of 8 means something else in each family
  })
  return contains(candidates, base)
}

function parseNetwork(network: string): { base: string; bits: number; family: 'ipv4' | 'ipv6' } {
  const [base = '', bits] = network.split('/')
  const family = isIP(base) === 6 ? 'ipv6' : 'ipv4'
  return { base, bits: bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family }
}

/** Why the text is not a valid network. Undefined if it is one. */
export function describeInvalidNetwork(text: string): string | undefined {
  const [base = '', bits, ...rest] = text.split('/')
  const version = isIP(base)
  const maxPrefixLength = version === 4 ? 32 : 128
  // ::ffff:10.0.0.0/8 would mean ::/8, which includes every IPv4 address.
  if (/^::ffff:/i.test(base) || (version === 6 && base.includes('.')))
    return `${text} is an IPv4 network in IPv6 notation: use IPv4 notation`
  if (version === 0 || base.includes('%') || rest.length > 0) return `${text} is not a network like 203.0.113.0/24`
  if (bits !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > maxPrefixLength))
    return `${text} must have a prefix length from 0 to ${maxPrefixLength}`
  return undefined
}
