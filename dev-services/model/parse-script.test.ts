import { describe, expect, it } from 'vitest'
import { parseScript } from './parse-script.ts'
import { scripts } from './scripts.ts'

describe('parseScript', () => {
  it.each([...scripts])('takes everything that the script "%s" uses', (_, script) => {
    expect(parseScript(JSON.stringify(script))).toEqual(script)
  })

  it.each([
    ['nonsense', 'the script is not JSON'],
    ['{}', 'not a list of steps'],
    ['[]', 'not a list of steps'],
    ['[1]', 'step 0: not an object'],
    ['[{}]', 'step 0: one of "say"'],
    ['[{"say": "a", "refuse": "b"}]', 'one of "say"'],
    ['[{"say": "a", "sai": "b"}]', '"sai" is not known'],
    ['[{"say": ""}]', '"say" is a text'],
    ['[{"sayBytes": 1e12}]', '"sayBytes" is 1 to'],
    ['[{"call": []}]', '"call" is a list'],
    ['[{"call": [{"tool": "ls"}]}]', 'a call has "arguments"'],
    ['[{"call": [{"tool": "ls", "arguments": {}, "malformedArguments": "{"}]}]', 'a call has "arguments"'],
    ['[{"say": "a", "usage": {"tokens": 1}}]', '"tokens" is not known'],
    ['[{"say": "a", "usage": {"inputTokens": -1}}]', 'whole numbers'],
    ['[{"say": "a", "endless": true}, {"say": "b"}]', 'only at the last step'],
    ['[{"say": "a", "fault": {"kind": "rain"}}]', 'the kind of fault'],
    ['[{"say": "a", "fault": {"kind": "status", "status": 418}}]', '"status" is 401'],
    ['[{"say": "a", "fault": {"kind": "cut"}}]', '"afterChunks" is a whole number'],
    ['[{"say": "a", "fault": {"kind": "cut", "afterChunks": 1, "milliseconds": 1}}]', '"milliseconds" is not known'],
    ['[{"say": "a", "fault": {"kind": "drip", "milliseconds": 1e9}}]', '"milliseconds" is 0 to'],
    ['[{"say": "a", "fault": {"kind": "drip", "milliseconds": 1, "times": 0.5}}]', '"times" is a whole number'],
  ])('refuses %s', (text, complaint) => {
    expect(() => parseScript(text)).toThrow(complaint)
  })
})
