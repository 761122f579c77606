import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** `listed`: the operator has allowed it. `inside`: private, reserved, or this machine itself. */
export type Standing = 'public' | 'listed' | 'inside'

// IANA's special-purpose registry, and one address that looks public and is not.
const insideIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's platform agent answers here, from inside every virtual machine
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

// For IPv6 the other way round: inside unless it is one of these. So whatever is not written here (loopback, unique
// local, link-local, site-local, multicast, IPv4-compatible, local NAT64, …) is inside without being named.
const publicIPv6 = ['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']
const insideIPv6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32',
  '2002::/16', // 6to4: carries any IPv4 address, serves nobody any more
  '3fff::/20',
]

export function createAddressPolicy(
  allowedNetworks: readonly string[],
  addressesOfThisMachine = readAddressesOfThisMachine,
): (address: string) => Standing {
  const listed = networkList(allowedNetworks)
  const publicRanges = networkList(publicIPv6)
  const insideRanges = networkList([...insideIPv4, ...insideIPv6])

  return (address) => {
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (listed.check(address, family)) return 'listed'
    if (family === 'ipv6' && !publicRanges.check(address, family)) return 'inside'
    if (insideRanges.check(address, family)) return 'inside'
    // A firewall in front of the machine does not stand between the machine and its own public address.
    return networkList(addressesOfThisMachine()).check(address, family) ? 'inside' : 'public'
  }
}

function readAddressesOfThisMachine(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries = []) => entries.map(({ address }) => address))
}

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(network) ?? []
    const family = isIP(address)
    const longestPrefix = family === 4 ? 32 : 128
    const prefixBits = Number(prefix ?? longestPrefix)
    if (family === 0 || prefixBits > longestPrefix) {
      throw new Error(`"${network}" is not a network. Write it as 10.0.0.0/8, 10.0.0.5 or fd00::/8.`)
    }
    list.addSubnet(address, prefixBits, family === 4 ? 'ipv4' : 'ipv6')
    // BlockList itself reads ::ffff:10.0.0.5 as 10.0.0.5; the form that NAT64 gives an IPv4 address it does not know.
    if (family === 4) list.addSubnet(`64:ff9b::${address}`, 96 + prefixBits, 'ipv6')
  }
  return list
}
