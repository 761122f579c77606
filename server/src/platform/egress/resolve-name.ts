import type { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

export type Dns = Pick<Resolver, 'resolve4' | 'resolve6'>

/**
 * All addresses of a name, IPv4 first; none when it has none or nobody answers.
 *
 * Not `dns.lookup`: that is a blocking call on one of a few threads that the whole process shares and cannot be given
 * up, so a user's slow name server would hold up everybody. What it adds to DNS and is needed is the hosts file, where
 * container engines write names such as `host.docker.internal`. Search domains are not applied: names are whole.
 */
export async function resolveName(name: string, dns: Dns): Promise<string[]> {
  const fromHostsFile = addressesInHostsFile(name, await readFile('/etc/hosts', 'utf8').catch(() => ''))
  if (fromHostsFile.length > 0) return fromHostsFile

  // A family that fails is left out, not fatal: only the addresses returned here are ever connected to.
  const families = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)])
  return families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
}

export function addressesInHostsFile(name: string, hostsFile: string): string[] {
  const addresses = hostsFile.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return isIP(address) && names.includes(name) ? [address] : []
  })
  return addresses.sort((one, other) => isIP(one) - isIP(other))
}
