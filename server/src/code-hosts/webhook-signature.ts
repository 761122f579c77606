import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookDelivery } from './code-host.ts'

/** The signature is the HMAC-SHA-256 of the body, in hexadecimal. */
export function hasValidWebhookSignature(secret: string, body: Uint8Array, signature: unknown): boolean {
  if (typeof signature !== 'string') return false
  const expected = createHmac('sha256', secret).update(body).digest()
  const actual = Buffer.from(signature, 'hex')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

export const decodeWebhookBody = ({ body }: WebhookDelivery): string => Buffer.from(body).toString('utf8')
