import { describe, expect, it } from 'vitest'
import { createAddressClassifier } from './address-policy.ts'

describe('createAddressClassifier', () => {
  const classify = createAddressClassifier([])

  it.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.0.1',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2000::',
    '2001:200::1',
    '2606:4700::1111',
    '2a00:1450::1',
    '3ffe:ffff::1',
    '3fff:1000::',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
  ])('classifies %s as public', (address) => {
    expect(classify(address)).toBe('public')
  })

  it.each([
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '168.63.129.16',
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.0',
    '192.168.255.255',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::1.1.1.1',
    '::ffff:0:127.0.0.1',
    '100::1',
    '1fff::1',
    '4000::1',
    '5f00::1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0.0.0.0',
    '64:ff9b::10.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::1',
    '2001::1',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:101:101::',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
  ])('classifies %s as internal', (address) => {
    expect(classify(address)).toBe('internal')
  })

  it('classifies the public addresses of this machine as internal', () => {
    const onPublicMachine = createAddressClassifier([], () => ['93.184.216.34', '2606:4700::1111'])
    for (const address of ['93.184.216.34', '::ffff:93.184.216.34', '64:ff9b::93.184.216.34', '2606:4700::1111']) {
      expect(onPublicMachine(address)).toBe('internal')
    }
    expect(onPublicMachine('93.184.216.35')).toBe('public')
  })

  it('allows the listed networks and single addresses, and no others', () => {
    const classifyWithAllowed = createAddressClassifier(['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32', '8.8.8.0/24'])
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '192.168.7.7', 'fd00:1::5', '8.8.8.8']) {
      expect(classifyWithAllowed(address)).toBe('allowed')
    }
    for (const address of ['10.2.0.0', '10.0.255.255', '192.168.7.8', 'fd00:2::5', '127.0.0.1', '::1']) {
      expect(classifyWithAllowed(address)).toBe('internal')
    }
    expect(classifyWithAllowed('8.8.4.4')).toBe('public')
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    'fd00::/129',
    'fd00::/x',
    'gitea',
    '',
    '1.2.3.4/-1',
  ])('rejects "%s" as a network', (network) => {
    expect(() => createAddressClassifier([network])).toThrow('is not a network')
  })
})
