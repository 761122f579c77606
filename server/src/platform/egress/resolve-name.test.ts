import { describe, expect, it, onTestFinished } from 'vitest'
import { addressesInHostsFile, resolveName } from './resolve-name.ts'
import { startDnsServer, type Zone } from './testing/dns-server.ts'

async function resolve(name: string, zone: Zone): Promise<string[]> {
  const { dns, stop } = await startDnsServer(zone)
  onTestFinished(stop)
  return await resolveName(name, dns)
}

describe('resolveName', () => {
  it('gives every address of both families', async () => {
    const zone: Zone = (_, family) => (family === 4 ? ['93.184.216.34', '10.0.0.5'] : ['2606:4700::1111'])
    await expect(resolve('git.example', zone)).resolves.toEqual(['93.184.216.34', '10.0.0.5', '2606:4700::1111'])
  })

  it('goes on with the family that answered', async () => {
    const zone: Zone = (_, family) => (family === 4 ? ['93.184.216.34'] : undefined)
    await expect(resolve('git.example', zone)).resolves.toEqual(['93.184.216.34'])
  })

  it('gives none for a name without addresses, and when nobody answers', async () => {
    await expect(resolve('git.example', () => [])).resolves.toEqual([])
    await expect(resolve('git.example', () => undefined)).resolves.toEqual([])
  })

  it('does not ask DNS for what the hosts file has', async () => {
    const asked: string[] = []
    const zone: Zone = (name) => {
      asked.push(name)
      return ['93.184.216.34']
    }
    expect(await resolve('localhost', zone)).toContain('127.0.0.1')
    expect(asked).toEqual([])
  })
})

describe('addressesInHostsFile', () => {
  const hostsFile =
    '::1 localhost\n127.0.0.1\tlocalhost\n172.17.0.1  host.docker.internal Gateway # 9.9.9.9 gitea\n# 10.0.0.1 gitea\n'

  it('reads names, aliases in any case, and no comments', () => {
    expect(addressesInHostsFile('localhost', hostsFile)).toEqual(['127.0.0.1', '::1'])
    expect(addressesInHostsFile('gateway', hostsFile)).toEqual(['172.17.0.1'])
    expect(addressesInHostsFile('gitea', hostsFile)).toEqual([])
    expect(addressesInHostsFile('172.17.0.1', hostsFile)).toEqual([])
  })
})
