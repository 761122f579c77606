import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBranchName } from './branch-name.ts'

describe('isBranchName', () => {
  it.each(['main', 'docs/page', 'colophon/job_01k0000000000000000000000a', 'a.b', 'a@b', 'ä'])('accepts %j', (name) => {
    expect(isBranchName(name)).toBe(true)
  })

  it.each([
    '',
    '@',
    'HEAD',
    '-a',
    '/a',
    'a/',
    'a//b',
    'a..b',
    'a.',
    '.a',
    'a/.b',
    'a.lock',
    'a.lock/b',
    'a b',
    'a~b',
    'a^b',
    'a:b',
    'a?b',
    'a*b',
    'a[b',
    'a\\b',
    'a@{b',
    'a\u0000',
    'a\u007f',
    'a\n',
    'a\u200b',
    'a'.repeat(201),
  ])('rejects %j', (name) => {
    expect(isBranchName(name)).toBe(false)
  })

  it('accepts nothing that git rejects', () => {
    const name = fc.string({ unit: fc.constantFrom(...'ab./-@{}~^:?*[\\ lock'), maxLength: 8 })
    fc.assert(
      fc.property(name, (text) => {
        if (!isBranchName(text)) return
        execFileSync('git', ['check-ref-format', '--branch', text], { stdio: 'ignore' })
      }),
      { numRuns: 300 },
    )
  })
})
