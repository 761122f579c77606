import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import { FaultCount } from './fault-count.ts'
import type { Fault } from './script.ts'

const about = (text: string): Conversation => ({ model: 'any', toolsOffered: [], turns: [{ by: 'user', text }] })
const fault: Fault = { kind: 'status', status: 500, times: 2 }

describe('a fault', () => {
  it('strikes as often as said, in each conversation', () => {
    const count = new FaultCount()
    expect([1, 2, 3].map(() => count.strike(fault, about('a')))).toEqual([fault, fault, undefined])
    expect(count.strike(fault, about('b'))).toBe(fault)
  })

  it('strikes once when nothing is said', () => {
    const count = new FaultCount()
    const once: Fault = { kind: 'cut', afterChunks: 1 }
    expect([1, 2].map(() => count.strike(once, about('a')))).toEqual([once, undefined])
  })

  it('is forgotten after ten thousand other conversations', () => {
    const count = new FaultCount()
    count.strike({ ...fault, times: 1 }, about('first'))
    for (let other = 0; other < 10_000; other += 1) count.strike(fault, about(`other ${other}`))
    expect(count.strike({ ...fault, times: 1 }, about('first'))).toBeDefined()
  })
})
