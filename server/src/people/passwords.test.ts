import { expect, test } from 'vitest'
import { hashPassword, isPassword } from './passwords.ts'

test('a password is known again by its hash, however it was typed', async () => {
  const hash = await hashPassword('Zoë and a long sentence')
  expect(await isPassword('Zoe\u0308 and a long sentence', hash)).toBe(true)
  expect(await isPassword('Zoe and a long sentence', hash)).toBe(false)
})

test('a few wait for their turn, and more are told to come back', async () => {
  const tries = await Promise.allSettled(Array.from({ length: 30 }, () => hashPassword('one of very many')))
  const refused = tries.filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(30 - 22)
  expect(refused[0]?.reason).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
  await expect(hashPassword('when there is room again')).resolves.toMatch(/^\$argon2id\$/)
})
