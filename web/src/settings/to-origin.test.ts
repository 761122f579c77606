import { expect, test } from 'vitest'
import { toOrigin } from './to-origin.ts'

test.each([
  ['https://docs.example.com', 'https://docs.example.com'],
  ['https://docs.example.com/start?x=1', 'https://docs.example.com'],
  ['docs.example.com', 'https://docs.example.com'],
  ['http://localhost:3000/', 'http://localhost:3000'],
  ['  ', ''],
])('turns %j into %j', (typed, origin) => expect(toOrigin(typed)).toBe(origin))
