import { describe, expect, it } from 'vitest'
import { chooseStep } from './choose-step.ts'
import type { Conversation, Turn } from './conversation.ts'

const allTools = ['read', 'edit', 'write', 'grep', 'find', 'ls', 'bash']
const user = (text: string): Turn => ({ by: 'user', text })
const assistant = (...ids: string[]): Turn => ({ by: 'assistant', calls: ids.map((id) => ({ id, tool: 'ls' })) })
const tool = (callId: string): Turn => ({ by: 'tool', callId, output: 'ok' })

function asked(turns: Turn[], { model = 'any', toolsOffered = allTools }: Partial<Conversation> = {}): Conversation {
  return { model, toolsOffered, turns }
}

describe('which script', () => {
  it.each([
    ['nothing', 'any', 'Improve the docs', 'newcomer'],
    ['the model', 'scripted/refusal', 'Improve the docs', 'refusal'],
    ['the prompt, which wins', 'scripted/refusal', 'Improve the docs\nscript: huge\nplease', 'huge'],
    ['the prompt, which wins with the default too', 'scripted/refusal', 'script: newcomer', 'newcomer'],
    ['an unknown model', 'scripted/nope', 'Improve the docs', 'newcomer'],
    ['an unknown line in the prompt', 'scripted/refusal', 'script: build', 'refusal'],
    ['a block in the prompt', 'scripted/refusal', 'Do:\n```script\n[{"say": "hi"}]\n```\nscript: huge', 'inline'],
  ])('is named by %s', (_, model, prompt, expected) => {
    expect(chooseStep(asked([user(prompt)], { model })).script).toBe(expected)
  })

  it('is the last instruction’s alone', () => {
    const turns = [user('script: refusal'), assistant(), user('And now the docs')]
    expect(chooseStep(asked(turns)).script).toBe('newcomer')
  })

  it('is refused when its block is not a script', () => {
    expect(() => chooseStep(asked([user('```script\n[{"say": 1}]\n```')]))).toThrow('step 0: "say" is a text')
  })
})

describe('which step', () => {
  const script = user('```script\n[{"say": "one"}, {"say": "two"}, {"say": "three"}]\n```')

  it.each([
    ['one', [script]],
    ['two', [script, assistant('a'), tool('a')]],
    ['two', [script, assistant(), assistant('a'), assistant('b'), tool('a'), tool('b')]],
    ['three', [script, assistant('a'), tool('a'), assistant('b'), tool('b')]],
    ['one', [user('before'), assistant('a'), tool('a'), assistant(), script]],
    ['two', [script, assistant('a'), tool('a'), user(' ')]],
  ])('is %s', (say, turns) => {
    expect(chooseStep(asked(turns)).step).toEqual({ say })
  })

  it('says so when the script is over', () => {
    const turns = [user('```script\n[{"say": "one"}]\n```'), assistant('a'), tool('a')]
    expect(chooseStep(asked(turns))).toMatchObject({ index: 1, step: { say: expect.stringContaining('is over') } })
  })

  it('is the last one for ever when that is endless', () => {
    const turns = [user('script: endless'), ...Array.from({ length: 50 }, () => [assistant('a'), tool('a')]).flat()]
    expect(chooseStep(asked(turns))).toMatchObject({ index: 50, step: { call: [{ tool: 'ls' }] } })
  })

  it('calls no tool that is not offered', () => {
    const chosen = chooseStep(asked([user('script: write')], { toolsOffered: ['read', 'ls'] }))
    expect(chosen.step).toEqual({ say: 'The script calls write; this request offers read, ls.' })
  })
})
