type Random = () => number
type Network = readonly [base: string, prefixBits: number]

export const sampleInternalNetworks: readonly Network[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
]
export const samplePublicNetworks: readonly Network[] = [
  ['8.0.0.0', 8],
  ['93.184.0.0', 16],
  ['140.82.112.0', 20],
  ['185.199.108.0', 22],
]

export function randomAddress(random: Random, networks: readonly Network[]): string {
  const [baseAddress, prefixBits] = pickRandom(random, networks)
  const base = baseAddress.split('.').reduce((number, octet) => number * 256 + Number(octet), 0)
  const number = base + Math.floor(random() * 2 ** (32 - prefixBits))
  return [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.')
}

const numberFormats: ((number: number) => string)[] = [
  (number) => String(number),
  (number) => `0x${number.toString(16)}`,
  (number) => `0X000${number.toString(16).toUpperCase()}`,
  (number) => `0${number.toString(8)}`,
  (number) => `0000${number.toString(8)}`,
  (number) => [...String(number)].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(''),
  (number) => [...String(number)].map((digit) => `%3${digit}`).join(''),
]

/** An IPv4 address as one to four numbers, each in a random format. */
export function obfuscateIPv4Address(random: Random, address: string): string {
  const octets = address.split('.').map(Number)
  const leading = octets.slice(0, Math.floor(random() * 4))
  const last = octets.slice(leading.length).reduce((number, octet) => number * 256 + octet, 0)
  const dot = pickRandom(random, ['.', '。', '．', '｡', '%2e'])
  return (
    [...leading, last].map((number) => pickRandom(random, numberFormats)(number)).join(dot) +
    pickRandom(random, ['', '', '.'])
  )
}

/** An IPv4 address embedded in an IPv6 address. */
export function embedInIPv6(random: Random, address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  const tail = pickRandom(random, [address, groups, groups.toUpperCase()])
  return pickRandom(random, [
    `[::ffff:${tail}]`,
    `[0:0:0:0:0:FFFF:${tail}]`,
    `[0000:0000::ffff:${tail}]`,
    `[::${tail}]`,
    `[::ffff:0:${tail}]`,
    `[64:ff9b::${tail}]`,
    `[0064:FF9B:0:0:0:0:${tail}]`,
    `[2002:${groups}::1]`,
    `[2001:0:${groups}::1]`,
  ])
}

export function pickRandom<T>(random: Random, choices: readonly [T, ...T[]] | readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T
}
