import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './passwords.ts'

test('verifies a password regardless of its Unicode form', async () => {
  const hash = await hashPassword('Zoë and a long sentence')
  expect(await verifyPassword('Zoe\u0308 and a long sentence', hash)).toBe(true)
  expect(await verifyPassword('Zoe and a long sentence', hash)).toBe(false)
})

test('queues some requests and rejects the others as unavailable', async () => {
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => hashPassword('one of very many')))
  const rejected = results.filter((result) => result.status === 'rejected')
  expect(rejected).toHaveLength(30 - 22)
  expect(rejected[0]?.reason).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
  await expect(hashPassword('after the others are done')).resolves.toMatch(/^\$argon2id\$/)
})
