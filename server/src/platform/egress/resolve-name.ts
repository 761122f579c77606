import type { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

export type DnsResolver = Pick<Resolver, 'resolve4' | 'resolve6'>

/**
 * All addresses of a name, IPv4 first. Empty when the name has none or DNS does not respond.
 *
 * Not `dns.lookup`: that is a blocking call on one of a few threads that the whole process shares, and it cannot be
 * cancelled, so a user's slow name server would block all other requests. The one thing it adds to DNS that is needed
 * is the hosts file, where container runtimes write names such as `host.docker.internal`. Search domains are not
 * applied: names are fully qualified.
 */
export async function resolveName(name: string, dns: DnsResolver): Promise<string[]> {
  const fromHostsFile = addressesInHostsFile(name, await readFile('/etc/hosts', 'utf8').catch(() => ''))
  if (fromHostsFile.length > 0) return fromHostsFile

  // A family that fails is omitted and not fatal: connections go only to the addresses returned here.
  const families = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)])
  return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
}

export function addressesInHostsFile(name: string, hostsFile: string): string[] {
  const addresses = hostsFile.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) && names.includes(name) ? [address] : []
  })
  return addresses.sort((a, b) => isIP(a) - isIP(b))
}
