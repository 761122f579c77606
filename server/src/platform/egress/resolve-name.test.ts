import { describe, expect, it, onTestFinished } from 'vitest'
import { addressesInHostsFile, resolveName } from './resolve-name.ts'
import { type DnsZoneLookup, startDnsServer } from './testing/dns-server.ts'

async function resolve(name: string, zone: DnsZoneLookup): Promise<string[]> {
  const { dns, stop } = await startDnsServer(zone)
  onTestFinished(stop)
  return await resolveName(name, dns)
}

describe('resolveName', () => {
  it('returns every address of both families', async () => {
    const zone: DnsZoneLookup = (_, family) => (family === 4 ? ['93.184.216.34', '10.0.0.5'] : ['2606:4700::1111'])
    await expect(resolve('git.example', zone)).resolves.toEqual(['93.184.216.34', '10.0.0.5', '2606:4700::1111'])
  })

  it('returns the addresses of one family if the other fails', async () => {
    const zone: DnsZoneLookup = (_, family) => (family === 4 ? ['93.184.216.34'] : undefined)
    await expect(resolve('git.example', zone)).resolves.toEqual(['93.184.216.34'])
  })

  it('returns nothing for a name without addresses, or when DNS does not respond', async () => {
    await expect(resolve('git.example', () => [])).resolves.toEqual([])
    await expect(resolve('git.example', () => undefined)).resolves.toEqual([])
  })

  it('does not query DNS for a name in the hosts file', async () => {
    const queried: string[] = []
    const zone: DnsZoneLookup = (name) => {
      queried.push(name)
      return ['93.184.216.34']
    }
    expect(await resolve('localhost', zone)).toContain('127.0.0.1')
    expect(queried).toEqual([])
  })
})

describe('addressesInHostsFile', () => {
  const hostsFile =
    '::1 localhost\n127.0.0.1\tlocalhost\n172.17.0.1  host.docker.internal Gateway # 9.9.9.9 gitea\n# 10.0.0.1 gitea\n'

  it('reads names and aliases in any case, and ignores comments', () => {
    expect(addressesInHostsFile('localhost', hostsFile)).toEqual(['127.0.0.1', '::1'])
    expect(addressesInHostsFile('gateway', hostsFile)).toEqual(['172.17.0.1'])
    expect(addressesInHostsFile('gitea', hostsFile)).toEqual([])
    expect(addressesInHostsFile('172.17.0.1', hostsFile)).toEqual([])
  })
})
