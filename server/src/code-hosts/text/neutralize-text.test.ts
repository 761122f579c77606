import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMillisecondsOf } from '../../platform/testing/cpu-milliseconds.ts'
import { neutralizeLine, neutralizeText } from './neutralize-text.ts'
import { agentTextArbitrary, findHostTriggers } from './testing/active-forms.ts'

describe('neutralizeText', () => {
  it.each([
    ['cc @alice and @docs/team.', 'cc @ alice and @ docs/team.'],
    ['mail bob@example.com', 'mail bob@ example.com'],
    ['Fixes #12, closes owner/name#3 and !4', 'Fixes # 12, closes owner/name# 3 and ! 4'],
    ['resolves GH-7', 'resolves GH 7'],
    ['Fixes ABC-1, DEF-2 and GHI-3. See ABC-4', 'Fixes ABC 1, DEF 2 and GHI 3. See ABC-4'],
    ['Explain UTF-8 and SHA-256', 'Explain UTF-8 and SHA-256'],
    ['Closes https://git.example.com/o/n/issues/1', 'Closes https:// git.example.com/o/n/issues/1'],
    ['see www.example.com', 'see www. example.com'],
    [
      '[skip ci] [CI Skip] [no ci] [CF-Pages-Skip] ***NO_CI***',
      '(skip ci) (CI Skip) (no ci) (CF-Pages-Skip) ***NO CI***',
    ],
    ['list[0] and [a note]', 'list[0] and [a note]'],
    ['Signed-off-by: Eve <eve@example.com>', 'Signed off by: Eve <eve@ example.com>'],
    ['text\n Co-Authored-By : Eve', 'text\n Co Authored By : Eve'],
    ['skip-checks: true', 'skip checks: true'],
    ['BREAKING CHANGE: all', 'Breaking change: all'],
    ['a\n---\nb', 'a\n----\nb'],
    ['/merge\n/assign @bob\n/docs/page.md', '/ merge\n/ assign @ bob\n/docs/page.md'],
    ['ABC-1 #done, page.md#anchor, a#b', 'ABC-1 # done, page.md#anchor, a#b'],
    ['@\u200balice \u202e#\u20601', '@ alice # 1'],
    ['a\u00a0b\u2028c\r\nd\te', 'a b\nc\nd e'],
    ['e\u0301', '\u00e9'],
    ['\ud800x', 'x'],
  ])('%j becomes %j', (input, expected) => {
    expect(neutralizeText(input)).toBe(expected)
  })

  it('leaves no active form', () => {
    fc.assert(
      fc.property(agentTextArbitrary, (text) => {
        expect(findHostTriggers(neutralizeText(text))).toEqual([])
      }),
      { numRuns: 3000 },
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(agentTextArbitrary, (text) => {
        const once = neutralizeText(text)
        expect(neutralizeText(once)).toBe(once)
      }),
      { numRuns: 3000 },
    )
  })

  it('runs in linear time', () => {
    const pieces = ['closes A-1, ', '[[', '[skip ', 'a-', '@', '# ', '://', ' ', 'fixes issue ', '/a', '`', '\\', '- ']
    const cpuMilliseconds = cpuMillisecondsOf(() => {
      for (const piece of pieces) neutralizeText(piece.repeat(20_000 / piece.length))
    })
    expect(cpuMilliseconds).toBeLessThan(2_000)
  })
})

describe('neutralizeLine', () => {
  it('returns one short line, and is idempotent', () => {
    fc.assert(
      fc.property(agentTextArbitrary, (text) => {
        const line = neutralizeLine(text, 40)
        expect(line).not.toMatch(/\n|^ | $/)
        expect([...line].length).toBeLessThanOrEqual(40)
        expect(findHostTriggers(line)).toEqual([])
        expect(neutralizeLine(line, 40)).toBe(line)
      }),
      { numRuns: 3000 },
    )
  })
})
