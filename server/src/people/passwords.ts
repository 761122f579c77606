/** Passwords as argon2id hashes in the usual text format, so that the cost can be raised later while old hashes stay valid. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from '../platform/http/problem.ts'
import { Semaphore, SemaphoreFullError } from '../platform/semaphore.ts'

/** The OWASP recommendation for 19 MiB of memory per sign-in. */
const cost = { memoryKib: 19 * 1024, passes: 2, parallelism: 1 }
const tagBytes = 32

/** A request that waits loses only time. Without these limits, hashing would exhaust the memory and threads of the process. */
const maxConcurrent = 2
const maxWaiting = 20

export const minPasswordCharacters = 12
export const maxPasswordCharacters = 128

const derive = promisify(argon2)
const semaphore = new Semaphore({ maxConcurrent, maxWaiting })

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await deriveTag(password, salt, cost)
  const { memoryKib, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${toBase64(salt)}$${toBase64(tag)}`
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash)
  if (!parts) return false
  const [, memoryKib, passes, parallelism, salt = '', tag = ''] = parts
  const expected = Buffer.from(tag, 'base64')
  const actual = await deriveTag(password, Buffer.from(salt, 'base64'), {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

/** Normalizes the password, because keyboards produce different code points for the same character. */
const deriveTag = (password: string, salt: Buffer, { memoryKib, passes, parallelism }: typeof cost) =>
  withConcurrencyLimit(() =>
    derive('argon2id', {
      message: Buffer.from(password.normalize('NFKC')),
      nonce: salt,
      memory: memoryKib,
      passes,
      parallelism,
      tagLength: tagBytes,
    }),
  )

async function withConcurrencyLimit<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await semaphore.run(work)
  } catch (error) {
    if (!(error instanceof SemaphoreFullError)) throw error
    throw new Problem(
      'unavailable',
      'Too many passwords are being checked at the moment. Try again in a few seconds.',
      { headers: { 'retry-after': '2' } },
    )
  }
}

const toBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
