import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { generateWebhookSecret, signWebhook } from './sign-webhook.ts'

const id = 'evt_01m7ej8w2wf5k7n9p1r3t5v7xz'
const body = '{"type":"job.completed","data":{"title":"Grüße 🎉"}}'
const secret = generateWebhookSecret()
const previous = generateWebhookSecret()
const other = generateWebhookSecret()

test('signs as the reference library does', () => {
  const at = new Date()
  const headers = signWebhook({ id, at, body }, [secret])
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign(id, at, body))
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
})

test('during a rotation, the reference library accepts both secrets, and no other', () => {
  const headers = signWebhook({ id, at: new Date(), body }, [secret, previous])
  for (const accepted of [secret, previous])
    expect(new Webhook(accepted).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature found')
})

test('a changed body or an old request is rejected', () => {
  const headers = signWebhook({ id, at: new Date(), body }, [secret])
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature found')
  const old = signWebhook({ id, at: new Date(Date.now() - 600_000), body }, [secret])
  expect(() => new Webhook(secret).verify(body, old)).toThrow('Message timestamp too old')
})
