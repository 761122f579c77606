import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, inject, test } from 'vitest'
import { startReceivingMail } from '../../../testing/harness/mail-receiver.ts'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import { loadSealingPrivateKeys } from '../platform/config.ts'
import { createEgress } from '../platform/egress/egress.ts'
import type { Id } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { createMailer } from '../platform/mailer.ts'
import { createOpener, createSealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPrivateKeys } from '../platform/sealed-secrets/sealing-keys.ts'
import { type EndpointKind, eventTypes } from '../webhooks/endpoint.ts'
import { generateWebhookSecret } from '../webhooks/sign-webhook.ts'
import { createWebhookActivities } from './webhook-activities.ts'
import { sendNotices } from './webhook-dispatcher.ts'

const { createReceiver } = await import('../../../docs/examples/receive-webhook.mjs')

const instance = await createTestInstance(inject('services'), 'webhook activities')
const { stores, pool } = instance
const keys = loadSealingPrivateKeys(instance.environment)
const sealer = createSealer(keys)
const log = createLog('test', { level: 'error' })

interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}
const received: Received[] = []
let respond: (request: Received, response: ServerResponse) => void
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const entry = { path: request.url ?? '', headers: request.headers, body }
  received.push(entry)
  respond(entry, response)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const url = `http://127.0.0.1:${port}/hook`
const mail = await startReceivingMail()
const mailer = createMailer({ smtpUrl: mail.smtpUrl, from: 'Colophon <docs@example.com>' })
const egress = createEgress({ allowedHosts: [`127.0.0.1:${port}`] })
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  mailer.close()
  await mail.stop()
  await egress.close()
  await instance.drop()
})

const { deliverDue } = createWebhookActivities({
  deliveries: stores.endpointDeliveries,
  opener: createOpener(keys),
  egress,
  mailer,
  publicUrl: 'https://colophon.example.com',
  readProjectName: async (projectId) => (await stores.projects.get(projectId)).name,
  isMember: (projectId, email) => stores.members.hasJoined(projectId, email),
  sendHeartbeat: () => {},
  log,
})

const accept = (_: Received, response: ServerResponse) => void response.writeHead(204).end()

async function createEndpoint({
  kind = 'webhook',
  target = url,
  secret = generateWebhookSecret(),
  projectId,
}: {
  kind?: EndpointKind
  target?: string
  secret?: string | null
  projectId?: Id<'prj'>
} = {}) {
  received.length = 0
  respond = accept
  const project = projectId ?? (await instance.createProject('Handbook')).projectId
  const input = { kind, name: 'an endpoint', target, events: eventTypes, maxPerSecond: 100, secret }
  const endpoint = await stores.endpoints.create(project, input, sealer, operator)
  return { projectId: project, endpointId: endpoint.id, secret }
}

async function recordEvents(projectId: Id<'prj'>, orderKeys: readonly string[]): Promise<void> {
  for (const [index, key] of orderKeys.entries())
    await pool.query('SELECT record_webhook_event($1, $2, NULL, $3, $4)', [
      projectId,
      'runner.offline',
      key,
      JSON.stringify({ projectId, runner: { name: key, lastSeenAt: 'now' }, index }),
    ])
}

const makeDue = (endpointId: Id<'end'>) =>
  Promise.all([
    pool.query('UPDATE endpoint_delivery SET due_at = now() WHERE endpoint_id = $1', [endpointId]),
    pool.query('UPDATE webhook_endpoint SET retry_at = NULL WHERE id = $1', [endpointId]),
  ])

const listDeliveries = (projectId: Id<'prj'>, endpointId: Id<'end'>) =>
  stores.endpointDeliveries.list(projectId, endpointId, { status: undefined, limit: 250, before: undefined })
const readEndpoint = async (projectId: Id<'prj'>) => (await stores.endpoints.list(projectId))[0]

async function readOnlyDelivery(projectId: Id<'prj'>, endpointId: Id<'end'>) {
  const [delivery] = await listDeliveries(projectId, endpointId)
  if (!delivery) throw new Error('there is no delivery')
  return stores.endpointDeliveries.get(projectId, endpointId, delivery.id)
}

test('sends a signed event, and logs what the receiver responded', async () => {
  const { projectId, endpointId, secret } = await createEndpoint()
  respond = (_, response) => void response.writeHead(200).end('thank you \0')
  await recordEvents(projectId, ['a'])
  expect(await deliverDue(endpointId)).toBeNull()
  const [request] = received
  expect(
    new Webhook(secret ?? '').verify(request?.body ?? '', request?.headers as Record<string, string>),
  ).toMatchObject({
    type: 'runner.offline',
    data: { projectId, index: 0 },
  })
  const { delivery, event, attempts } = await readOnlyDelivery(projectId, endpointId)
  expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, nextAttemptAt: null, endedAt: expect.any(Date) })
  expect(request?.headers['webhook-id']).toBe(event.id)
  expect(attempts).toMatchObject([
    { number: 1, responseStatus: 200, responseBeginning: 'thank you �', error: null, durationMs: expect.any(Number) },
  ])
})

test('the receiver of the docs accepts what is sent, and rejects what is not from Colophon', async () => {
  const { projectId, endpointId, secret } = await createEndpoint()
  const events: unknown[] = []
  const receiver = createServer(
    createReceiver({ secret, onEvent: async (event: unknown, id: string) => void events.push({ event, id }) }),
  ).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const forge = await fetch(receiverUrl, { method: 'POST', body: '{}', headers: { 'webhook-id': 'x' } })
  expect(forge.status).toBe(401)
  await recordEvents(projectId, ['a'])
  await deliverDue(endpointId)
  const { headers = {}, body = '' } = received[0] ?? {}
  const forwarded = await fetch(receiverUrl, {
    method: 'POST',
    body,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))) as Record<
      string,
      string
    >,
  })
  receiver.closeAllConnections()
  receiver.close()
  expect(forwarded.status).toBe(204)
  expect(events).toMatchObject([{ id: headers['webhook-id'], event: { type: 'runner.offline' } }])
})

test('signs with both secrets during a rotation, and with the new one afterwards', async () => {
  const { projectId, endpointId, secret } = await createEndpoint()
  const newSecret = generateWebhookSecret()
  await stores.endpoints.rotateSecret(projectId, endpointId, { secret: newSecret, overlapHours: 1 }, sealer, operator)
  await recordEvents(projectId, ['a'])
  await deliverDue(endpointId)
  await pool.query('UPDATE webhook_endpoint SET previous_secret_expires_at = now() WHERE id = $1', [endpointId])
  await recordEvents(projectId, ['b'])
  await deliverDue(endpointId)
  const verify = (request: Received | undefined, key: string | null) => () =>
    new Webhook(key ?? '').verify(request?.body ?? '', request?.headers as Record<string, string>)
  for (const key of [secret, newSecret]) expect(verify(received[0], key)).not.toThrow()
  expect(verify(received[1], newSecret)).not.toThrow()
  expect(verify(received[1], secret)).toThrow('No matching signature found')
})

test('keeps the order per key: a poison event delays only what follows it in its key', async () => {
  const { projectId, endpointId } = await createEndpoint()
  respond = ({ body }, response) => void response.writeHead(body.includes('"index":0') ? 500 : 204).end()
  await recordEvents(projectId, ['a', 'a', 'b', 'b', 'a', 'c'])
  const nextDelayMs = await deliverDue(endpointId)
  expect(nextDelayMs).toBeGreaterThan(3_000)
  const readIndex = ({ body }: Received) => (JSON.parse(body) as { data: { index: number } }).data.index
  expect(received.map(readIndex).toSorted()).toEqual([0, 2, 3, 5])
  respond = accept
  received.length = 0
  await makeDue(endpointId)
  await deliverDue(endpointId)
  expect(received.map(readIndex)).toEqual([0, 1, 4])
})

test.each([
  [
    'a redirect',
    (response: ServerResponse) => response.writeHead(302, { location: url }).end(),
    302,
    'is not followed',
  ],
  ['an error', (response: ServerResponse) => response.writeHead(503).end('busy'), 503, 'responded with 503'],
  ['a closed connection', (response: ServerResponse) => response.destroy(), null, 'connection'],
])('%s is a failure, which is retried', async (_, answer, status, error) => {
  const { projectId, endpointId } = await createEndpoint()
  respond = (_, response) => void answer(response)
  await recordEvents(projectId, ['a'])
  expect(await deliverDue(endpointId)).toBeGreaterThan(3_000)
  expect(received).toHaveLength(1)
  const { delivery, attempts } = await readOnlyDelivery(projectId, endpointId)
  expect(delivery).toMatchObject({ status: 'pending', attempts: 1 })
  expect(attempts).toMatchObject([{ responseStatus: status, error: expect.stringContaining(error) }])
})

test('reads only the beginning of a huge response', async () => {
  const { projectId, endpointId } = await createEndpoint()
  let sentBytes = 0
  respond = (_, response) => {
    const chunk = Buffer.alloc(65_536, 'x')
    const send = () => {
      while (!response.destroyed && response.write(chunk)) sentBytes += chunk.length
    }
    response.on('drain', send)
    send()
  }
  await recordEvents(projectId, ['a'])
  await deliverDue(endpointId)
  const { delivery, attempts } = await readOnlyDelivery(projectId, endpointId)
  expect(delivery.status).toBe('delivered')
  expect(attempts[0]?.responseBeginning).toHaveLength(2048)
  expect(sentBytes).toBeLessThan(20_000_000)
})

test('does not call a private address', async () => {
  const { projectId, endpointId } = await createEndpoint({ target: `http://127.0.0.2:${port}/` })
  await recordEvents(projectId, ['a'])
  await deliverDue(endpointId)
  expect(received).toEqual([])
  const { attempts } = await readOnlyDelivery(projectId, endpointId)
  expect(attempts).toMatchObject([
    { responseStatus: null, error: expect.stringContaining('is a private or reserved address') },
  ])
})

test('410 disables the endpoint, and owners are told', async () => {
  const { projectId, endpointId } = await createEndpoint()
  respond = (_, response) => void response.writeHead(410).end()
  await recordEvents(projectId, ['a'])
  expect(await deliverDue(endpointId)).toBeNull()
  expect((await readEndpoint(projectId))?.disabled?.reason).toBe('gone')
  const { delivery } = await readOnlyDelivery(projectId, endpointId)
  expect(delivery.status).toBe('failed')
  const notice = {
    deliveries: stores.endpointDeliveries,
    runners: stores.runners,
    wakeEndpoint: async () => {},
    listOwners: async () => ['owner@example.com'],
    mailer,
    publicUrl: 'https://colophon.example.com',
    log,
  }
  mail.received.length = 0
  await sendNotices(notice)
  await sendNotices(notice)
  expect(mail.received).toMatchObject([
    { to: 'owner@example.com', text: expect.stringContaining('responded with 410') },
  ])
})

test('an endpoint that fails is called less and less often, one request at a time, and disabled after days', async () => {
  const { projectId, endpointId } = await createEndpoint()
  respond = (_, response) => void response.writeHead(500).end()
  await recordEvents(
    projectId,
    Array.from({ length: 40 }, (_, index) => `key ${index}`),
  )
  expect(await deliverDue(endpointId)).toBeGreaterThan(5_000)
  expect(received.length).toBeLessThan(15)
  received.length = 0
  await makeDue(endpointId)
  await deliverDue(endpointId)
  expect(received).toHaveLength(1)
  await pool.query(`UPDATE webhook_endpoint SET failing_since = now() - interval '6 days' WHERE id = $1`, [endpointId])
  await makeDue(endpointId)
  await deliverDue(endpointId)
  expect((await readEndpoint(projectId))?.disabled?.reason).toBe('failing')
  await stores.endpoints.change(projectId, endpointId, { isEnabled: true }, operator)
  respond = accept
  await makeDue(endpointId)
  await deliverDue(endpointId)
  expect((await listDeliveries(projectId, endpointId)).every(({ status }) => status === 'delivered')).toBe(true)
})

test('gives up after three days, and then sends what waited behind', async () => {
  const { projectId, endpointId } = await createEndpoint()
  respond = ({ body }, response) => void response.writeHead(body.includes('"index":0') ? 500 : 204).end()
  await recordEvents(projectId, ['a', 'a'])
  await deliverDue(endpointId)
  await pool.query(
    `UPDATE endpoint_delivery SET created_at = created_at - interval '3 days'
     WHERE endpoint_id = $1 AND sequence = (SELECT min(sequence) FROM endpoint_delivery WHERE endpoint_id = $1)`,
    [endpointId],
  )
  await makeDue(endpointId)
  expect(await deliverDue(endpointId)).toBeNull()
  expect((await listDeliveries(projectId, endpointId)).map(({ status }) => status).toSorted()).toEqual([
    'delivered',
    'failed',
  ])
})

test('a second process does not send to an endpoint at the same time, and takes over when the first is gone', async () => {
  const { projectId, endpointId } = await createEndpoint()
  await recordEvents(projectId, ['a'])
  const { endpointDeliveries } = stores
  expect(await endpointDeliveries.claimToWake(1000)).toContain(endpointId)
  expect(await endpointDeliveries.claimToWake(1000)).not.toContain(endpointId)
  await endpointDeliveries.acquireLease(endpointId, 'first')
  expect(await endpointDeliveries.claimDue(endpointId, 'first', { limit: 5, inFlight: 0 })).toHaveLength(1)
  expect(await deliverDue(endpointId)).toBeGreaterThan(10_000)
  expect(received).toEqual([])
  await pool.query(`UPDATE webhook_endpoint SET lease_expires_at = now() - interval '1 second', woken_at = NULL`)
  await makeDue(endpointId)
  expect(await endpointDeliveries.claimToWake(1000)).toContain(endpointId)
  expect(await endpointDeliveries.claimDue(endpointId, 'first', { limit: 5, inFlight: 0 })).toBeUndefined()
  await deliverDue(endpointId)
  expect(received).toHaveLength(1)
  const { attempts } = await readOnlyDelivery(projectId, endpointId)
  expect(attempts).toMatchObject([
    { number: 1, durationMs: null },
    { number: 2, responseStatus: 204 },
  ])
})

test('a resend has the same ID, and does not wait behind what fails', async () => {
  const { projectId, endpointId } = await createEndpoint()
  await recordEvents(projectId, ['a'])
  await deliverDue(endpointId)
  const { delivery } = await readOnlyDelivery(projectId, endpointId)
  const resent = await stores.endpointDeliveries.resend(projectId, endpointId, delivery.id, operator)
  expect(resent).toMatchObject({ isResend: true, status: 'pending', event: { id: delivery.event.id } })
  await deliverDue(endpointId)
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([delivery.event.id, delivery.event.id])
})

test.each(['slack', 'teams'] as const)('sends a message to %s, whose URL is never shown', async (kind) => {
  const chatUrl = `http://127.0.0.1:${port}/services/T0/B0/secret`
  const { projectId, endpointId } = await createEndpoint({ kind, target: `127.0.0.1:${port}`, secret: chatUrl })
  await stores.endpointDeliveries.sendTest(projectId, endpointId)
  await deliverDue(endpointId)
  expect(received).toMatchObject([{ path: '/services/T0/B0/secret' }])
  expect(received[0]?.body).toContain('This is a test of Colophon')
  expect(JSON.stringify(await readOnlyDelivery(projectId, endpointId))).not.toContain('secret')
  expect((await readEndpoint(projectId))?.target).toBe(`127.0.0.1:${port}`)
})

test('emails a member, and is disabled when they leave', async () => {
  const { projectId } = await instance.createProject('Handbook')
  const email = 'reader@example.com'
  await expect(createEndpoint({ kind: 'email', target: email, secret: null, projectId })).rejects.toThrow(
    'is not the address of a member',
  )
  const { token } = await stores.invitations.create(projectId, { email, role: 'viewer' }, operator)
  const request = { requestId: 'test', ipAddress: '127.0.0.1' }
  await stores.invitations.acceptAsNew(token, { name: 'A Reader', password: 'correct horse battery staple' }, request)
  const { endpointId } = await createEndpoint({ kind: 'email', target: email, secret: null, projectId })
  mail.received.length = 0
  await stores.endpointDeliveries.sendTest(projectId, endpointId)
  await deliverDue(endpointId)
  expect(mail.received).toMatchObject([{ to: email, text: expect.stringContaining('This is a test of Colophon') }])
  await pool.query('DELETE FROM project_member WHERE project_id = $1 AND email = $2', [projectId, email])
  await stores.endpointDeliveries.sendTest(projectId, endpointId)
  await deliverDue(endpointId)
  expect(mail.received).toHaveLength(1)
  expect((await readEndpoint(projectId))?.disabled?.reason).toBe('recipient_left')
})

test('secrets are sealed again with a new key', async () => {
  const { endpointId } = await createEndpoint()
  const both = parseSealingPrivateKeys(
    `${generateSealingKeyPair().privateEntry},${instance.environment.COLOPHON_SEALING_PRIVATE_KEYS}`,
  )
  if (!both.ok) throw new Error(both.errors.join())
  const result = await stores.endpoints.resealAll(createOpener(both.keys), createSealer(both.keys))
  expect(result.resealed).toBeGreaterThan(0)
  expect((await stores.endpoints.resealAll(createOpener(both.keys), createSealer(both.keys))).resealed).toBe(0)
  expect(endpointId).toBeDefined()
})
