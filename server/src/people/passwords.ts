/** Passwords as argon2id hashes, in the usual text form, so that the cost can be raised later without losing the old ones. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Problem } from '../platform/http/problem.ts'

/** As OWASP advises where 19 MiB are to be had for a sign-in. */
const cost = { memoryKib: 19 * 1024, passes: 2, parallelism: 1 }
const tagBytes = 32

/** What waits has given up nothing but time; what does not fit would only fill the memory and the threads of all others. */
const maxConcurrent = 2
const maxWaiting = 20

export const minPasswordCharacters = 12
export const maxPasswordCharacters = 128

const derive = promisify(argon2)
let running = 0
const waiting: (() => void)[] = []

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const tag = await tagOf(password, salt, cost)
  const { memoryKib, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash)
  if (!parts) return false
  const [, memoryKib, passes, parallelism, salt = '', tag = ''] = parts
  const wanted = Buffer.from(tag, 'base64')
  const given = await tagOf(password, Buffer.from(salt, 'base64'), {
    memoryKib: Number(memoryKib),
    passes: Number(passes),
    parallelism: Number(parallelism),
  })
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}

/** The same letters can be typed as different code points: what looks equal is equal. */
const tagOf = (password: string, salt: Buffer, { memoryKib, passes, parallelism }: typeof cost) =>
  inTurn(() =>
    derive('argon2id', {
      message: Buffer.from(password.normalize('NFKC')),
      nonce: salt,
      memory: memoryKib,
      passes,
      parallelism,
      tagLength: tagBytes,
    }),
  )

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < maxConcurrent) running++
  else if (waiting.length < maxWaiting) await new Promise<void>((go) => waiting.push(go))
  else
    throw new Problem('unavailable', 'Too many passwords are being looked at: try again in a moment.', {
      headers: { 'retry-after': '2' },
    })
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
