import { startDnsServer } from '../server/src/platform/egress/testing/dns-server.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'No user-given address leads inside'

const outside = '93.184.216.34' // any public address will do: it is never called

/** Hosts as a user may write them, and the address each means. */
const _hostsLeadingInside: [host: string, address: string][] = [
  // number formats
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '2130706433', '017700000001', '0x7f000001', '0x7F.1'].map(
    meaning('127.0.0.1'),
  ),
  ...['0177.0.0.1', '00000177.0.0.01', '0x7f.0x0.0x0.0x1', '0x7f.0.1', '127.0x1', '%31%32%37.0.0.1'].map(
    meaning('127.0.0.1'),
  ),
  ...['１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '①②⑦.⓪.⓪.①', '127.0.0.%EF%BC%91'].map(
    meaning('127.0.0.1'),
  ),
  ...['127.0.0.2', '127.2', '0x7f.2'].map(meaning('127.0.0.2')),
  ...['0', '0.0.0.0', '0x', '0x0', '00.0.0.00', '0.'].map(meaning('0.0.0.0')),
  ...['10.0.0.5', '10.5', '012.0.0.5', '167772165', '0xA000005'].map(meaning('10.0.0.5')),
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '169.16689662'].map(
    meaning('169.254.169.254'),
  ),
  ...['192.168.1.1', '0xc0a80101', '192.168.257', '3232235777'].map(meaning('192.168.1.1')),
  // the other special ranges
  ...[
    '0.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '127.255.255.254',
    '168.63.129.16',
    '172.16.0.1',
    '172.31.255.254',
  ].map(itself),
  ...['192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.254', '198.51.100.1', '203.0.113.1'].map(
    itself,
  ),
  ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'].map(itself),
  // IPv6, and IPv4 within it
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0:1]', '[::0.0.0.1]'].map(meaning('::1')),
  ...['[::]', '[0::0]', '[::0.0.0.0]'].map(meaning('::')),
  ...['[::ffff:127.0.0.1]', '[::FFFF:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]'].map(meaning('::ffff:7f00:1')),
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]'].map(meaning('::ffff:a9fe:a9fe')),
  ['[::ffff:10.0.0.5]', '::ffff:a00:5'],
  ['[::ffff:0.0.0.0]', '::ffff:0:0'],
  ['[::127.0.0.1]', '::7f00:1'],
  ['[::ffff:0:127.0.0.1]', '::ffff:0:7f00:1'],
  ['[64:ff9b::127.0.0.1]', '64:ff9b::7f00:1'],
  ['[64:ff9b::169.254.169.254]', '64:ff9b::a9fe:a9fe'],
  ...['[64:ff9b:1::a00:5]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:1::1]', '[2001:db8::1]'].map(
    inBrackets,
  ),
  ...['[fc00::1]', '[fd00:ec2::254]', '[fd20:ce::254]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]'].map(
    inBrackets,
  ),
  ...['[100::1]', '[3fff::1]', '[4000::1]', '[5f00::1]'].map(inBrackets),
  // names
  ...['localhost', 'LOCALHOST', 'localhost.', 'loc\u00adalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'l%6Fcalhost'].map(meaning('127.0.0.1')),
  ...['any.localhost', '127.0.0.1.names.example', 'both.example', 'last.example'].map(meaning('127.0.0.1')),
  ['dual.example', '::1'],
  ['mapped.example', '::ffff:7f00:1'],
  ['zero.example', '0.0.0.0'],
  ['metadata.google.internal', '169.254.169.254'],
  ['bücher.example', '10.0.0.5'],
  ['nat64.example', '64:ff9b::7f00:1'],
]

const addressesOfNames: Record<string, string[]> = {
  'any.localhost': ['127.0.0.1'],
  '127.0.0.1.names.example': ['127.0.0.1'],
  'both.example': [outside, '127.0.0.1'],
  'last.example': [...Array.from({ length: 20 }, (_, index) => `93.184.216.${index}`), '127.0.0.1'],
  'dual.example': [outside, '::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zero.example': ['0.0.0.0'],
  'metadata.google.internal': ['169.254.169.254'],
  'xn--bcher-kva.example': ['10.0.0.5'],
  'nat64.example': ['64:ff9b::127.0.0.1'],
  'outside.example': [outside],
  'inside.example': ['127.0.0.1'],
}

/** URLs that read as if they led elsewhere, or that no two parsers read alike; DOOR is a listener's port. */
const _deceptiveUrls = [
  ...['https:127.0.0.1:DOOR/', 'https:///127.0.0.1:DOOR/', 'https:\\\\127.0.0.1:DOOR', ' \thttps://127.0.0.1:DOOR/\n'],
  ...[
    'https://127.0.0.1:DOOR\\@outside.example/',
    'https://127.0.0.1:DOOR#@outside.example/',
    'ht\ntps://127.\t0.0.1:DOOR/',
  ],
  ...['https://127.0.0.1:DOOR?@outside.example/', 'https://127.0.0.1:0DOOR/', 'HTTPS://127.0.0.1:DOOR/%2e%2e/'],
  ...[
    'https://outside.example@127.0.0.1:DOOR/',
    'https://outside.example:443@127.0.0.1:DOOR/',
    'https://@[::1%25lo]:DOOR/',
  ],
  ...[
    'https://[::1%25lo]:DOOR/',
    'https://[fe80::1%25eth0]:DOOR/',
    'https://outside.example:443\r\n\r\nCONNECT 127.0.0.1:DOOR/',
  ],
  ...['ftp://127.0.0.1:DOOR/', 'gopher://127.0.0.1:DOOR/_x', 'file:///etc/passwd', 'ws://127.0.0.1:DOOR/', 'data:,x'],
  ...[
    'blob:http://127.0.0.1:DOOR/x',
    'javascript:fetch("http://127.0.0.1:DOOR")',
    '//127.0.0.1:DOOR/',
    '127.0.0.1:DOOR',
  ],
]

export async function prove(run: ProofRun): Promise<void> {
  const open = opener(run)
  const attempts = watchAttempts(run)
  await expectGuard(run, attempts)
  const doors = await openDoors(run)
  const zone = { ...addressesOfNames }
  const flips = new Map<string, string[]>()
  const { dns, stop } = await startDnsServer((name, family) => {
    const script = flips.get(name)
    if (script) return family === 6 ? [] : [(script.length > 1 ? script.shift() : script[0]) ?? outside]
    return (zone[name] ?? []).filter((address) => address.includes(':') === (family === 6))
  })
  run.cleanUp(stop)
  const stage: Stage = { run, open, attempts, doors, dns, flips }

  await addressesThatLeadInside(stage)
  await randomAddresses(stage)
  await listedAddressesAnswer(stage)
  await namesThatChange(stage)
  await redirectsInside(stage)
  await proxyTricks(stage)
}
