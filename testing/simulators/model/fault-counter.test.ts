import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import { FaultCounter } from './fault-counter.ts'
import type { Fault } from './script.ts'

const conversationAbout = (text: string): Conversation => ({
  model: 'any',
  toolsOffered: [],
  turns: [{ by: 'user', text }],
})
const fault: Fault = { kind: 'status', status: 500, times: 2 }

describe('FaultCounter', () => {
  it('injects a fault the given number of times per conversation', () => {
    const counter = new FaultCounter()
    expect([1, 2, 3].map(() => counter.next(fault, conversationAbout('a')))).toEqual([fault, fault, undefined])
    expect(counter.next(fault, conversationAbout('b'))).toBe(fault)
  })

  it('injects a fault once by default', () => {
    const counter = new FaultCounter()
    const once: Fault = { kind: 'cut', afterChunks: 1 }
    expect([1, 2].map(() => counter.next(once, conversationAbout('a')))).toEqual([once, undefined])
  })

  it('forgets a conversation after 10,000 others', () => {
    const counter = new FaultCounter()
    counter.next({ ...fault, times: 1 }, conversationAbout('first'))
    for (let other = 0; other < 10_000; other += 1) counter.next(fault, conversationAbout(`other ${other}`))
    expect(counter.next({ ...fault, times: 1 }, conversationAbout('first'))).toBeDefined()
  })
})
