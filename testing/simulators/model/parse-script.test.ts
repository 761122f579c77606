import { describe, expect, it } from 'vitest'
import { parseScript } from './parse-script.ts'
import { scripts } from './scripts.ts'

describe('parseScript', () => {
  it.each([...scripts])('accepts the script "%s"', (_, script) => {
    expect(parseScript(JSON.stringify(script))).toEqual(script)
  })

  it.each([
    ['nonsense', 'The script is not JSON'],
    ['{}', 'not a list of steps'],
    ['[]', 'not a list of steps'],
    ['[1]', 'Step 0 of the script: not an object'],
    ['[{}]', 'Step 0 of the script: exactly one of "say"'],
    ['[{"say": "a", "refuse": "b"}]', 'one of "say"'],
    ['[{"say": "a", "sai": "b"}]', '"sai" is unknown'],
    ['[{"say": ""}]', '"say" must be a non-empty text'],
    ['[{"sayBytes": 1e12}]', '"sayBytes" must be 1 to'],
    ['[{"call": []}]', '"call" must be a list'],
    ['[{"call": [{"tool": "ls"}]}]', 'a call must have "arguments"'],
    ['[{"call": [{"tool": "ls", "arguments": {}, "malformedArguments": "{"}]}]', 'a call must have "arguments"'],
    ['[{"say": "a", "usage": {"tokens": 1}}]', '"tokens" is unknown'],
    ['[{"say": "a", "usage": {"inputTokens": -1}}]', 'whole numbers'],
    ['[{"say": "a", "withoutUsage": false}]', 'must be true'],
    ['[{"say": "a", "endless": true}, {"say": "b"}]', 'only in the last step'],
    ['[{"say": "a", "fault": {"kind": "rain"}}]', 'the kind of a fault'],
    ['[{"say": "a", "fault": {"kind": "status", "status": 418}}]', '"status" must be 401'],
    ['[{"say": "a", "fault": {"kind": "cut"}}]', '"afterChunks" must be a whole number'],
    ['[{"say": "a", "fault": {"kind": "cut", "afterChunks": 1, "milliseconds": 1}}]', '"milliseconds" is unknown'],
    ['[{"say": "a", "fault": {"kind": "drip", "milliseconds": 1e9}}]', '"milliseconds" must be 0 to'],
    ['[{"say": "a", "fault": {"kind": "drip", "milliseconds": 1, "times": 0.5}}]', '"times" must be a whole number'],
  ])('rejects %s', (text, message) => {
    expect(() => parseScript(text)).toThrow(message)
  })
})
