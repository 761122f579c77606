import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** `allowed`: by the operator. `internal`: private, reserved, or an address of this machine. */
export type AddressClass = 'public' | 'allowed' | 'internal'

// The special-purpose registry of IANA, and one address that looks public but is not.
const internalIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's platform agent, reachable from every virtual machine
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

// For IPv6 the reverse: an address is internal unless it is in one of these networks. So every network that is not listed
// (loopback, unique local, link-local, site-local, multicast, IPv4-compatible, local NAT64, …) is internal by default.
const publicIPv6 = ['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']
const internalIPv6 = [
  '2001::/23', // protocol assignments, including Teredo
  '2001:db8::/32',
  '2002::/16', // 6to4: can contain any IPv4 address, and is obsolete
  '3fff::/20',
]

export function createAddressClassifier(
  allowedNetworks: readonly string[],
  localAddresses = readLocalAddresses,
): (address: string) => AddressClass {
  const allowedRanges = networkList(allowedNetworks)
  const publicRanges = networkList(publicIPv6)
  const internalRanges = networkList([...internalIPv4, ...internalIPv6])

  return (address) => {
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (allowedRanges.check(address, family)) return 'allowed'
    if (family === 'ipv6' && !publicRanges.check(address, family)) return 'internal'
    if (internalRanges.check(address, family)) return 'internal'
    // A firewall in front of the machine does not filter connections from the machine to its own public address.
    return networkList(localAddresses()).check(address, family) ? 'internal' : 'public'
  }
}

function readLocalAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries = []) => entries.map(({ address }) => address))
}

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(network) ?? []
    const family = isIP(address)
    const maxPrefixBits = family === 4 ? 32 : 128
    const prefixBits = Number(prefix ?? maxPrefixBits)
    if (family === 0 || prefixBits > maxPrefixBits) {
      throw new Error(`"${network}" is not a network. Use the form 10.0.0.0/8, 10.0.0.5 or fd00::/8.`)
    }
    list.addSubnet(address, prefixBits, family === 4 ? 'ipv4' : 'ipv6')
    // BlockList treats ::ffff:10.0.0.5 as 10.0.0.5, but does not know the NAT64 form of an IPv4 address.
    if (family === 4) list.addSubnet(`64:ff9b::${address}`, 96 + prefixBits, 'ipv6')
  }
  return list
}
