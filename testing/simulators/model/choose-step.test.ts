import { describe, expect, it } from 'vitest'
import { chooseStep } from './choose-step.ts'
import type { Conversation, ConversationTurn } from './conversation.ts'

const allTools = ['read', 'edit', 'write', 'grep', 'find', 'ls', 'bash']
const user = (text: string): ConversationTurn => ({ by: 'user', text })
const assistant = (...ids: string[]): ConversationTurn => ({
  by: 'assistant',
  calls: ids.map((id) => ({ id, tool: 'ls' })),
})
const tool = (callId: string): ConversationTurn => ({ by: 'tool', callId, output: 'ok' })

function conversation(
  turns: ConversationTurn[],
  { model = 'any', toolsOffered = allTools }: Partial<Conversation> = {},
): Conversation {
  return { model, toolsOffered, turns }
}

describe('the script', () => {
  it.each([
    ['default', 'any', 'Improve the docs', 'default'],
    ['the model', 'scripted/refusal', 'Improve the docs', 'refusal'],
    ['the prompt before the model', 'scripted/refusal', 'Improve the docs\nscript: endless\nplease', 'endless'],
    ['the prompt before the model, also for the default script', 'scripted/refusal', 'script: default', 'default'],
    ['an unknown model', 'scripted/nope', 'Improve the docs', 'default'],
    ['an unknown line in the prompt', 'scripted/refusal', 'script: build', 'refusal'],
    ['a block in the prompt', 'scripted/refusal', 'Do:\n```script\n[{"say": "hi"}]\n```\nscript: endless', 'inline'],
  ])('is chosen by %s', (_, model, prompt, expected) => {
    expect(chooseStep(conversation([user(prompt)], { model })).script).toBe(expected)
  })

  it('is chosen by the last instruction only', () => {
    const turns = [user('script: refusal'), assistant(), user('And now the docs')]
    expect(chooseStep(conversation(turns)).script).toBe('default')
  })

  it('is rejected if its block is invalid', () => {
    expect(() => chooseStep(conversation([user('```script\n[{"say": 1}]\n```')]))).toThrow(
      'Step 0 of the script: "say" must be a non-empty text',
    )
  })
})

describe('the step', () => {
  const script = user('```script\n[{"say": "one"}, {"say": "two"}, {"say": "three"}]\n```')

  it.each([
    ['one', [script]],
    ['two', [script, assistant('a'), tool('a')]],
    ['two', [script, assistant(), assistant('a'), assistant('b'), tool('a'), tool('b')]],
    ['three', [script, assistant('a'), tool('a'), assistant('b'), tool('b')]],
    ['one', [user('before'), assistant('a'), tool('a'), assistant(), script]],
    ['two', [script, assistant('a'), tool('a'), user(' ')]],
  ])('is %s', (say, turns) => {
    expect(chooseStep(conversation(turns)).step).toEqual({ say })
  })

  it('is a notice after the end of the script', () => {
    const turns = [user('```script\n[{"say": "one"}]\n```'), assistant('a'), tool('a')]
    expect(chooseStep(conversation(turns))).toMatchObject({
      index: 1,
      step: { say: expect.stringContaining('has ended') },
    })
  })

  it('stays the last one if that is endless', () => {
    const turns = [user('script: endless'), ...Array.from({ length: 50 }, () => [assistant('a'), tool('a')]).flat()]
    expect(chooseStep(conversation(turns))).toMatchObject({ index: 50, step: { call: [{ tool: 'ls' }] } })
  })

  it('is a notice if it calls a tool that is not offered', () => {
    const chosen = chooseStep(conversation([user('script: write')], { toolsOffered: ['read', 'ls'] }))
    expect(chosen.step).toEqual({ say: 'The script calls write; this request offers read, ls.' })
  })
})
