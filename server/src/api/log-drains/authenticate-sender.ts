/** Checks that a delivery of logs comes from the host that the drain was created for. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { LogDrainWithSecret } from '../../analytics/log-drains/log-drain-store.ts'
import { hashKey, parseKeyWithPrefix } from '../../keys/key-format.ts'

type SentCredentials = Pick<FastifyRequest, 'headers' | 'query'>

/**
 * - `Authorization: Bearer …`: any sender that can set this header, such as Cloudflare and Fastly.
 * - `Authorization: Basic …`: Akamai. The secret is the password, and the user can be any.
 * - `X-Amz-Firehose-Access-Key`: Amazon Data Firehose.
 * - `?token=…`: senders that can set nothing but the URL, such as Netlify and Google Cloud Pub/Sub.
 */
export function hasSecret({ headers, query }: SentCredentials, { secretHash }: LogDrainWithSecret): boolean {
  const { token } = query as { token?: unknown }
  const sent = [readAuthorization(headers.authorization ?? ''), headers['x-amz-firehose-access-key'], token]
  return sent.some((text) => {
    const secret = typeof text === 'string' ? parseKeyWithPrefix('colophon_drain_', text) : undefined
    return secret !== undefined && timingSafeEqual(hashKey(secret), secretHash)
  })
}

function readAuthorization(header: string): string | undefined {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) (\S+)$/i.exec(header) ?? []
  if (scheme.toLowerCase() !== 'basic') return value || undefined
  return Buffer.from(value, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
}

/** Vercel signs the body with the secret (HMAC-SHA1), in hexadecimal. */
export function hasVercelSignature(
  { headers }: SentCredentials,
  body: Buffer,
  { signingSecret }: LogDrainWithSecret,
): boolean {
  const sent = headers['x-vercel-signature']
  if (typeof sent !== 'string' || signingSecret === null) return false
  const expected = Buffer.from(createHmac('sha1', signingSecret).update(body).digest('hex'))
  const sentBytes = Buffer.from(sent)
  return sentBytes.length === expected.length && timingSafeEqual(sentBytes, expected)
}
