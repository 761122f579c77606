import { isIP } from 'node:net'
import { createAddressClassifier } from './address-policy.ts'
import { EgressError } from './egress-error.ts'
import { type DnsResolver, resolveName } from './resolve-name.ts'

/** The checked destination of a URL. Code that connects uses these addresses and does not resolve the name again. */
export type Destination = {
  hostname: string
  port: number
  addresses: readonly [string, ...string[]]
  /** Allowed by the operator: plain http is permitted, and connections are direct, not through the proxy. */
  isExplicitlyAllowed: boolean
}

export type DestinationRules = {
  /** CIDR notation. */
  allowedNetworks: readonly string[]
  /** `host:port`; the default port is 443. More restrictive than a network, which may also contain databases. */
  allowedHosts: readonly string[]
  /** The name of the setting with these hosts, for errors. */
  allowedHostsSetting: string
}

/** The WHATWG URL parser normalizes all notations of an IP address (0x7f.1, １２７.1, …). */
export function parseUrl(input: string | URL): URL {
  const url = URL.parse(String(input))
  if (!url) throw new EgressError('url_not_allowed', 'The URL is not valid.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new EgressError('scheme_not_allowed', `Only https:// and http:// URLs are supported, not ${url.protocol}`)
  }
  if (url.username || url.password) {
    throw new EgressError(
      'url_not_allowed',
      'The URL must not contain a user name or password. Store a credential instead.',
    )
  }
  url.hostname = url.hostname.replace(/\.$/, '') // "example.com." is the same name, but not for TLS or for `allowedHosts`
  return url
}

export function createDestinationCheck(rules: DestinationRules, dns: DnsResolver) {
  const classify = createAddressClassifier(rules.allowedNetworks)
  const allowedHosts = new Set(rules.allowedHosts.map(normalizeHostAndPort))

  return async function checkDestination(url: URL): Promise<Destination> {
    const hostname = withoutBrackets(url.hostname)
    const port = portOf(url)
    const [first, ...others] = isIP(hostname) ? [hostname] : await resolveName(hostname, dns)
    if (!first) {
      throw new EgressError('unresolvable', `DNS has no address for ${hostname}. Check the host name.`)
    }
    const addresses = [first, ...others] as const

    const isAllowedHost = allowedHosts.has(`${hostname}:${port}`)
    const classes = addresses.map((address) => (isAllowedHost ? 'allowed' : classify(address)))

    // One internal address rejects the name, although another address might be safe: no legitimate name has both, and
    // its owner gets the error now instead of on the day the other address is down.
    const internal = addresses[classes.indexOf('internal')]
    if (internal) {
      const subject = hostname === internal ? hostname : `${hostname} resolves to ${internal}, which`
      throw new EgressError(
        'address_not_allowed',
        `${subject} is a private or reserved address, or an address of this machine. An administrator can allow it with ` +
          `${rules.allowedHostsSetting} (${url.hostname}:${port}).`,
      )
    }

    const listed = classes.every((addressClass) => addressClass === 'allowed')
    if (url.protocol === 'http:' && !listed) {
      throw new EgressError(
        'scheme_not_allowed',
        `Use https:// for ${hostname}: http:// would send credentials unencrypted.`,
      )
    }
    return { hostname, port, addresses, isExplicitlyAllowed: listed }
  }
}

function normalizeHostAndPort(entry: string): string {
  const url = URL.parse(`https://${entry}`)
  if (url?.href !== `https://${url?.host}/`) {
    throw new Error(`"${entry}" is not a host. Use the form gitea.internal:3000.`)
  }
  return `${withoutBrackets(url.hostname)}:${portOf(url)}`
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
