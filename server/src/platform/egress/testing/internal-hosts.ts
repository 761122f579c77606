/** Any public address works: no connection to it is made. */
export const examplePublicAddress = '93.184.216.34'

const resolvesTo = (address: string) => (host: string) => ({ host, address })
const literal = (address: string) => ({ host: address.includes(':') ? `[${address}]` : address, address })

/** Hosts as a user may write them, and the address that each resolves to. */
export const internalHosts: readonly { host: string; address: string }[] = [
  // one address in many number formats and scripts
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '2130706433', '017700000001'].map(resolvesTo('127.0.0.1')),
  ...['0x7f000001', '0x7F.1', '0177.0.0.1', '00000177.0.0.01', '0x7f.0x0.0x0.0x1'].map(resolvesTo('127.0.0.1')),
  ...['0x7f.0.1', '127.0x1', '%31%32%37.0.0.1', '127.0.0.%EF%BC%91', '①②⑦.⓪.⓪.①'].map(resolvesTo('127.0.0.1')),
  ...['１２７.０.０.１', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1'].map(resolvesTo('127.0.0.1')),
  ...['127.0.0.2', '127.2', '0x7f.2'].map(resolvesTo('127.0.0.2')),
  ...['0', '0.0.0.0', '0x', '0x0', '00.0.0.00', '0.'].map(resolvesTo('0.0.0.0')),
  ...['10.0.0.5', '10.5', '012.0.0.5', '167772165', '0xA000005'].map(resolvesTo('10.0.0.5')),
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '169.254.43518'].map(resolvesTo('169.254.169.254')),
  ...['0251.0376.0251.0376', '169.16689662'].map(resolvesTo('169.254.169.254')),
  ...['192.168.1.1', '0xc0a80101', '192.168.257', '3232235777'].map(resolvesTo('192.168.1.1')),

  // the other special ranges
  ...['0.1.2.3', '100.64.0.1', '100.100.100.200', '127.255.255.254', '168.63.129.16', '172.16.0.1'].map(literal),
  ...['172.31.255.254', '192.0.0.192', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.254'].map(literal),
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'].map(literal),

  // IPv6, and IPv4 embedded in it
  ...['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0:1]', '[::0.0.0.1]'].map(resolvesTo('::1')),
  ...['[::]', '[0::0]', '[::0.0.0.0]'].map(resolvesTo('::')),
  ...['[::ffff:127.0.0.1]', '[::FFFF:7f00:1]', '[0:0:0:0:0:ffff:7f00:0001]'].map(resolvesTo('::ffff:7f00:1')),
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]'].map(resolvesTo('::ffff:a9fe:a9fe')),
  ...['::ffff:a00:5', '::ffff:0:0', '::7f00:1', '::ffff:0:7f00:1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe'].map(
    literal,
  ),
  ...['64:ff9b:1::a00:5', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2001:0:7f00:1::1', '2001:db8::1', '100::1'].map(
    literal,
  ),
  ...['fc00::1', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1', 'febf::1', 'fec0::1', 'ff02::1'].map(literal),
  ...['3fff::1', '4000::1', '5f00::1'].map(literal),

  // names
  ...['localhost', 'LOCALHOST', 'localhost.', 'loc\u00adalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'l%6Fcalhost'].map(
    resolvesTo('127.0.0.1'),
  ),
  ...['any.localhost', '127.0.0.1.names.example', 'both.example', 'last.example'].map(resolvesTo('127.0.0.1')),
  { host: 'dual.example', address: '::1' },
  { host: 'mapped.example', address: '::ffff:7f00:1' },
  { host: 'zero.example', address: '0.0.0.0' },
  { host: 'metadata.google.internal', address: '169.254.169.254' },
  { host: 'bücher.example', address: '10.0.0.5' },
  { host: 'nat64.example', address: '64:ff9b::7f00:1' },
]

/** DNS records for the names above, and for two more. */
export const dnsRecords: Readonly<Record<string, readonly string[]>> = {
  'any.localhost': ['127.0.0.1'],
  '127.0.0.1.names.example': ['127.0.0.1'],
  'both.example': [examplePublicAddress, '127.0.0.1'],
  'last.example': [...Array.from({ length: 20 }, (_, index) => `93.184.216.${index}`), '127.0.0.1'],
  'dual.example': [examplePublicAddress, '::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zero.example': ['0.0.0.0'],
  'metadata.google.internal': ['169.254.169.254'],
  'xn--bcher-kva.example': ['10.0.0.5'],
  'nat64.example': ['64:ff9b::127.0.0.1'],
  'inside.example': ['127.0.0.1'],
  'outside.example': [examplePublicAddress],
}

/** URLs that look as if they led elsewhere, or that parsers interpret differently. None of them may be requested. */
export const deceptiveUrls = (port: number): string[] => [
  `https:127.0.0.1:${port}/`,
  `https:///127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}`,
  ` \thttps://127.0.0.1:${port}/\n`,
  `ht\ntps://127.\t0.0.1:${port}/`,
  `HTTPS://127.0.0.1:0${port}/%2e%2e/`,
  `https://127.0.0.1:${port}\\@outside.example/`,
  `https://127.0.0.1:${port}#@outside.example/`,
  `https://127.0.0.1:${port}?@outside.example/`,
  `https://outside.example@127.0.0.1:${port}/`,
  `https://outside.example:443@127.0.0.1:${port}/`,
  `https://outside.example%00@127.0.0.1:${port}/`,
  `https://[::1%25lo]:${port}/`,
  'https://[fe80::1%25eth0]/',
  'https://[::1]@outside.example/',
  `https://outside.example:443\r\n\r\nCONNECT 127.0.0.1:${port}/`,
  `https://127.0.0.1..:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_x`,
  `ws://127.0.0.1:${port}/`,
  'file:///etc/passwd',
  'data:,x',
  `blob:http://127.0.0.1:${port}/x`,
  `javascript:fetch("http://127.0.0.1:${port}")`,
  `//127.0.0.1:${port}/`,
  `127.0.0.1:${port}`,
  `http://127.0.0.1:${port}:80/`,
  `unix:///run/postgresql:${port}`,
]
