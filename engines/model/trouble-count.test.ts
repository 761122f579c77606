import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import type { Trouble } from './script.ts'
import { TroubleCount } from './trouble-count.ts'

const about = (text: string): Conversation => ({ model: 'any', toolsOffered: [], turns: [{ by: 'user', text }] })
const trouble: Trouble = { kind: 'status', status: 500, times: 2 }

describe('a trouble', () => {
  it('strikes as often as said, in each conversation', () => {
    const count = new TroubleCount()
    expect([1, 2, 3].map(() => count.strike(trouble, about('a')))).toEqual([trouble, trouble, undefined])
    expect(count.strike(trouble, about('b'))).toBe(trouble)
  })

  it('strikes once when nothing is said', () => {
    const count = new TroubleCount()
    const once: Trouble = { kind: 'cut', afterChunks: 1 }
    expect([1, 2].map(() => count.strike(once, about('a')))).toEqual([once, undefined])
  })

  it('is forgotten after ten thousand other conversations', () => {
    const count = new TroubleCount()
    count.strike({ ...trouble, times: 1 }, about('first'))
    for (let other = 0; other < 10_000; other += 1) count.strike(trouble, about(`other ${other}`))
    expect(count.strike({ ...trouble, times: 1 }, about('first'))).toBeDefined()
  })
})
