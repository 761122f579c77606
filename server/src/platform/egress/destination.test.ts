import { describe, expect, it, onTestFinished } from 'vitest'
import { createDestinationCheck, type DestinationRules, parseUrl } from './destination.ts'
import { startDnsServer } from './testing/dns-server.ts'

const names: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:4700::1111'],
  'inside.example': ['10.0.0.5'],
  'both.example': ['93.184.216.34', '10.0.0.5'],
  'dual.example': ['93.184.216.34', 'fd00::5'],
}

const noneAllowed = {
  allowedNetworks: [],
  allowedHosts: [],
  allowedHostsSetting: 'COLOPHON_EGRESS_ALLOWED_CODE_HOSTS',
}

async function check(url: string, rules: Partial<DestinationRules> = {}) {
  const { dns, stop } = await startDnsServer((name, family) =>
    (names[name] ?? []).filter((address) => address.includes(':') === (family === 6)),
  )
  onTestFinished(stop)
  return await createDestinationCheck({ ...noneAllowed, ...rules }, dns)(parseUrl(url))
}

const egressError = (code: string) => expect.objectContaining({ name: 'EgressError', code })

describe('parseUrl', () => {
  it.each([
    ['ftp://example.com/', 'scheme_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['data:,x', 'scheme_not_allowed'],
    ['https://user:secret@example.com/', 'url_not_allowed'],
    ['https://user@example.com/', 'url_not_allowed'],
    ['https://[::1%25lo]/', 'url_not_allowed'],
    ['https://256.1.1.1/', 'url_not_allowed'],
    ['example.com', 'url_not_allowed'],
    ['', 'url_not_allowed'],
  ])('rejects %s', (url, code) => {
    expect(() => parseUrl(url)).toThrow(egressError(code))
  })

  it('removes a trailing dot from the host name', () => {
    expect(parseUrl('https://Example.COM./a?b').href).toBe('https://example.com/a?b')
  })
})

describe('checkDestination', () => {
  it('returns all addresses of a public name', async () => {
    await expect(check('https://public.example/')).resolves.toEqual({
      hostname: 'public.example',
      port: 443,
      addresses: ['93.184.216.34', '2606:4700::1111'],
      isExplicitlyAllowed: false,
    })
  })

  it.each([
    'https://inside.example/',
    'https://both.example/',
    'https://dual.example/',
    'https://0x7f.1/',
    'https://[::1]/',
  ])('rejects %s', async (url) => {
    await expect(check(url)).rejects.toThrow(egressError('address_not_allowed'))
  })

  it('explains the rejection and what to do', async () => {
    await expect(check('https://inside.example:8443/')).rejects.toThrow(
      'inside.example resolves to 10.0.0.5, which is a private or reserved address, or an address of this machine. ' +
        'An administrator can allow it with COLOPHON_EGRESS_ALLOWED_CODE_HOSTS (inside.example:8443).',
    )
    await expect(check('https://10.1/')).rejects.toThrow('10.0.0.1 is a private or reserved address,')
  })

  it('rejects a name without an address', async () => {
    await expect(check('https://nowhere.example/')).rejects.toThrow(egressError('unresolvable'))
  })

  it('allows plain http only to destinations that the operator allowed', async () => {
    await expect(check('http://public.example/')).rejects.toThrow(egressError('scheme_not_allowed'))
    await expect(check('http://inside.example/')).rejects.toThrow(egressError('address_not_allowed'))
    await expect(check('http://inside.example/', { allowedNetworks: ['10.0.0.0/24'] })).resolves.toMatchObject({
      port: 80,
      isExplicitlyAllowed: true,
    })
    // one of its addresses is not allowed explicitly, so plain http is not permitted
    await expect(check('http://both.example/', { allowedNetworks: ['10.0.0.0/24'] })).rejects.toThrow(
      egressError('scheme_not_allowed'),
    )
  })

  it('allows an allowed host only on its port', async () => {
    const rules = { allowedHosts: ['inside.example:3000', '[fd00::5]:8080', 'dual.example'] }
    await expect(check('http://INSIDE.example.:3000/', rules)).resolves.toMatchObject({ isExplicitlyAllowed: true })
    await expect(check('http://[fd00:0::5]:8080/', rules)).resolves.toMatchObject({ isExplicitlyAllowed: true })
    await expect(check('https://dual.example/', rules)).resolves.toMatchObject({ isExplicitlyAllowed: true })
    for (const url of ['http://inside.example/', 'https://10.0.0.5:3000/', 'http://[fd00::5]:8081/']) {
      await expect(check(url, rules)).rejects.toThrow(egressError('address_not_allowed'))
    }
  })

  it.each(['', 'a/b', 'u@a', 'a:b', 'https://a'])('rejects "%s" as an allowed host', async (entry) => {
    await expect(check('https://public.example/', { allowedHosts: [entry] })).rejects.toThrow('is not a host')
  })
})
