import { expect, test } from 'vitest'
import { asOrigin } from './site-origin.ts'

test.each([
  ['https://docs.example.com', 'https://docs.example.com'],
  ['https://docs.example.com/start?x=1', 'https://docs.example.com'],
  ['docs.example.com', 'https://docs.example.com'],
  ['http://localhost:3000/', 'http://localhost:3000'],
  ['  ', ''],
])('%j is %j', (typed, origin) => expect(asOrigin(typed)).toBe(origin))
