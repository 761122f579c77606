import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookDelivery } from './code-host.ts'

/** By HMAC with SHA-256 over the body, in hexadecimal. */
export function isSignedWith(secret: string, body: Uint8Array, signature: unknown): boolean {
  if (typeof signature !== 'string') return false
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export const textOf = ({ body }: WebhookDelivery): string => Buffer.from(body).toString('utf8')
