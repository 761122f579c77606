import { expect, test } from 'vitest'
import { assertHardToGuess, countCommonPasswords } from './password-rules.ts'

const person = { name: 'Robin Example', email: 'robin.writer@docs.acme-corp.com' }
const isAccepted = (password: string) => {
  try {
    assertHardToGuess(password, person)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('Choose') })
    return false
  }
}

test('knows more common passwords of the required length than the 3000 that ASVS 6.2.4 asks for', () => {
  expect(countCommonPasswords()).toBeGreaterThan(40_000)
})

test.each([
  'password1234',
  'PassWord1234',
  'pass word 1234',
  'ｐａｓｓｗｏｒｄ1234', // full-width letters
  'qwertyqwerty',
  'aaaaaaaaaaaaaaaa',
  '121212121212',
])('rejects %s, which attackers try first', (password) => expect(isAccepted(password)).toBe(false))

test.each(['RobinExample1', 'robin.writer@docs.acme-corp.com', 'colophon-2026!', 'Acme-Corp-2026', 'writer-robin-99'])(
  'rejects %s, which is mostly about the person or Colophon',
  (password) => expect(isAccepted(password)).toBe(false),
)

test.each(['correct horse battery staple', 'robin keeps nine bees', 'a colophon closes the book', 'vX3-kq9_Lm2p'])(
  'accepts %s',
  (password) => expect(isAccepted(password)).toBe(true),
)
