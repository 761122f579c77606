import { isIP } from 'node:net'
import { createAddressPolicy } from './address-policy.ts'
import { EgressError } from './egress-error.ts'
import { type Dns, resolveName } from './resolve-name.ts'

/** Where a URL leads, checked. Whoever connects uses these addresses and does not look the name up again. */
export type Destination = {
  hostname: string
  port: number
  addresses: readonly [string, ...string[]]
  /** The operator listed it: plain http is allowed, and it is reached directly, not through the proxy. */
  listed: boolean
}

export type DestinationRules = {
  /** CIDR notation. */
  allowedNetworks: readonly string[]
  /** `name:port`; 443 when no port is given. Narrower than a network, in which databases may live too. */
  allowedHosts: readonly string[]
}

/** The URL standard's parser has already turned every way to write an address (0x7f.1, １２７.1, …) into one. */
export function parseUrl(input: string | URL): URL {
  const url = URL.parse(String(input))
  if (!url) throw new EgressError('url_not_allowed', 'This is not a URL.')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new EgressError('scheme_not_allowed', `Only https:// and http:// addresses are called, not ${url.protocol}`)
  }
  if (url.username || url.password) {
    throw new EgressError('url_not_allowed', 'A user name or password does not belong in the URL. Store a credential.')
  }
  url.hostname = url.hostname.replace(/\.$/, '') // "example.com." is the same name, but not to TLS or to a list
  return url
}

export function createDestinationCheck(rules: DestinationRules, dns: Dns) {
  const standingOf = createAddressPolicy(rules.allowedNetworks)
  const allowedHosts = new Set(rules.allowedHosts.map(hostAndPort))

  return async function checkDestination(url: URL): Promise<Destination> {
    const hostname = withoutBrackets(url.hostname)
    const port = portOf(url)
    const [first, ...others] = isIP(hostname) ? [hostname] : await resolveName(hostname, dns)
    if (!first) {
      const question = 'Is the name whole, and does DNS answer?'
      throw new EgressError('unresolvable', `No address was found for ${hostname}. ${question}`)
    }
    const addresses = [first, ...others] as const

    const isAllowedHost = allowedHosts.has(`${hostname}:${port}`)
    const standings = addresses.map((address) => (isAllowedHost ? 'listed' : standingOf(address)))

    // One address inside refuses the name, though another could be called safely: no honest name points both ways, and
    // its owner hears of it now instead of on the day the other one is down.
    const inside = addresses[standings.indexOf('inside')]
    if (inside) {
      const what = hostname === inside ? hostname : `${hostname} leads to ${inside}, which`
      throw new EgressError(
        'address_not_allowed',
        `${what} is a private or reserved address, or this machine's own. An operator can allow it with ` +
          `COLOPHON_EGRESS_ALLOWED_HOSTS (${url.hostname}:${port}) or COLOPHON_EGRESS_ALLOWED_NETWORKS.`,
      )
    }

    const listed = standings.every((standing) => standing === 'listed')
    if (url.protocol === 'http:' && !listed) {
      throw new EgressError(
        'scheme_not_allowed',
        `Use https:// for ${hostname}: over http:// everyone on the way could read its credentials.`,
      )
    }
    return { hostname, port, addresses, listed }
  }
}

function hostAndPort(entry: string): string {
  const url = URL.parse(`https://${entry}`)
  if (url?.href !== `https://${url?.host}/`) {
    throw new Error(`"${entry}" is not a host. Write it as gitea.internal:3000.`)
  }
  return `${withoutBrackets(url.hostname)}:${portOf(url)}`
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80))
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
