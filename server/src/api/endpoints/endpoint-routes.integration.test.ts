import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { operator } from '../../../../testing/harness/test-instance.ts'

const api = await startTestApi(inject('services'), 'endpoint routes')
afterAll(() => api.drop())

const input = {
  kind: 'webhook',
  name: 'CI',
  target: 'https://ci.example.com/hook?team=docs',
  events: ['job.completed', 'job.failed'],
} as const
const body = { ...input, events: [...input.events] }

test('creates, lists, changes and deletes an endpoint, and records who did', async () => {
  const { client, projectId, key } = await api.createProject()
  const { endpoint, secret } = await client.webhooks.create(projectId, body)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(endpoint).toMatchObject({ ...input, isEnabled: true, maxPerSecond: 20, responsible: key.id })
  const { rows } = await api.pool.query('SELECT * FROM webhook_endpoint')
  expect(JSON.stringify(rows)).not.toContain(secret)
  expect(await client.webhooks.list(projectId)).toEqual({ endpoints: [endpoint] })
  const changed = await client.webhooks.change(projectId, endpoint.id, { isEnabled: false, events: ['runner.offline'] })
  expect(changed).toMatchObject({ isEnabled: false, disabledReason: 'by_person', events: ['runner.offline'] })
  expect(await client.webhooks.change(projectId, endpoint.id, { isEnabled: true })).toMatchObject({
    isEnabled: true,
    disabledReason: null,
  })
  const rotated = await client.webhooks.rotateSecret(projectId, endpoint.id, { overlapHours: 2 })
  expect(rotated.secret).not.toBe(secret)
  expect(Date.parse(rotated.endpoint.previousSecretExpiresAt ?? '')).toBeGreaterThan(Date.now() + 3_600_000)
  expect(await client.webhooks.delete(projectId, endpoint.id)).toEqual({ endpoints: [] })
  await client.webhooks.delete(projectId, endpoint.id)
  const { entries } = await client.audit.list(projectId, { limit: 8 })
  expect(
    entries
      .map(({ action }) => action)
      .toReversed()
      .slice(-6),
  ).toEqual([
    'webhook.created',
    'webhook.changed',
    'webhook.disabled',
    'webhook.enabled',
    'webhook.secret_rotated',
    'webhook.deleted',
  ])
})

test('shows only the host of a chat', async () => {
  const { client, projectId } = await api.createProject()
  const target = 'https://hooks.slack.com/services/T0/B0/verysecret'
  const created = await client.webhooks.create(projectId, { ...body, kind: 'slack', target })
  expect(created).toMatchObject({ secret: null, endpoint: { target: 'hooks.slack.com', maxPerSecond: 1 } })
  expect(JSON.stringify([created, await client.audit.list(projectId)])).not.toContain('verysecret')
  await expect(client.webhooks.rotateSecret(projectId, created.endpoint.id, {})).rejects.toMatchObject({
    code: 'invalid_request',
  })
})

test('sends a test, shows the delivery and sends it again', async () => {
  const { client, projectId } = await api.createProject()
  const { endpoint } = await client.webhooks.create(projectId, body)
  const delivery = await client.webhooks.test(projectId, endpoint.id)
  expect(delivery).toMatchObject({ eventType: 'webhook.test', status: 'pending', attempts: 0, isResend: false })
  const shown = await client.webhooks.getDelivery(projectId, endpoint.id, delivery.id)
  expect(shown).toMatchObject({ delivery, attempts: [] })
  expect(JSON.parse(shown.payload)).toEqual({
    type: 'webhook.test',
    timestamp: delivery.eventAt,
    data: { projectId, endpoint: { id: endpoint.id, name: 'CI' } },
  })
  const resent = await client.webhooks.resend(projectId, endpoint.id, delivery.id)
  expect(resent).toMatchObject({ eventId: delivery.eventId, isResend: true })
  const first = await client.webhooks.listDeliveries(projectId, endpoint.id, { limit: 1 })
  expect(first).toEqual({ deliveries: [resent], nextCursor: resent.id })
  expect(await client.webhooks.listDeliveries(projectId, endpoint.id, { cursor: resent.id })).toEqual({
    deliveries: [delivery],
    nextCursor: null,
  })
  expect((await client.webhooks.listDeliveries(projectId, endpoint.id, { status: 'failed' })).deliveries).toEqual([])
  await client.webhooks.change(projectId, endpoint.id, { isEnabled: false })
  await expect(client.webhooks.resend(projectId, endpoint.id, delivery.id)).rejects.toThrow('Enable it first')
})

test.each([
  ['webhook', 'ftp://ci.example.com/', 'is not a URL'],
  ['webhook', 'https://user:password@ci.example.com/', 'user name or password'],
  ['slack', 'not a url', 'is not a URL'],
  ['email', 'reader@example.com', 'no SMTP server'],
] as const)('rejects the %s %s', async (kind, target, message) => {
  const { client, projectId } = await api.createProject()
  await expect(client.webhooks.create(projectId, { ...body, kind, target })).rejects.toThrow(message)
})

test('a project has at most 200 endpoints', async () => {
  const { client, projectId } = await api.createProject()
  await client.webhooks.create(projectId, body)
  await api.pool.query(
    `INSERT INTO webhook_endpoint (project_id, id, kind, name, target, events, max_per_second, responsible)
     SELECT project_id, new_id('end'), kind, name, target, events, max_per_second, responsible
     FROM webhook_endpoint, generate_series(1, 199) WHERE project_id = $1`,
    [projectId],
  )
  await expect(client.webhooks.create(projectId, body)).rejects.toThrow('200 endpoints, which is the maximum')
})

test('endpoints of another project do not exist', async () => {
  const { client, projectId } = await api.createProject()
  const { endpoint } = await client.webhooks.create(projectId, body)
  const delivery = await client.webhooks.test(projectId, endpoint.id)
  const other = await api.createProject()
  const calls = [
    () => other.client.webhooks.change(other.projectId, endpoint.id, { isEnabled: false }),
    () => other.client.webhooks.rotateSecret(other.projectId, endpoint.id, {}),
    () => other.client.webhooks.test(other.projectId, endpoint.id),
    () => other.client.webhooks.listDeliveries(other.projectId, endpoint.id),
    () => other.client.webhooks.getDelivery(other.projectId, endpoint.id, delivery.id),
    () => other.client.webhooks.resend(other.projectId, endpoint.id, delivery.id),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'not_found' })
  await other.client.webhooks.delete(other.projectId, endpoint.id)
  expect((await client.webhooks.list(projectId)).endpoints).toHaveLength(1)
})

test('only those who may change the project may change its endpoints', async () => {
  const { client, projectId } = await api.createProject()
  const { endpoint } = await client.webhooks.create(projectId, body)
  for (const { client: denied, code } of await api.deniedCallers(projectId, 'project:write')) {
    await expect(denied.webhooks.create(projectId, body)).rejects.toMatchObject({ code })
    await expect(denied.webhooks.rotateSecret(projectId, endpoint.id, {})).rejects.toMatchObject({ code })
  }
  const viewer = await api.signIn({ projectId, role: 'viewer' })
  await expect(viewer.client.webhooks.create(projectId, body)).rejects.toMatchObject({ code: 'insufficient_role' })
  expect((await viewer.client.webhooks.list(projectId)).endpoints).toHaveLength(1)
})

test('endpoints are disabled when who created them loses access, and an owner can enable them', async () => {
  const { client, projectId, key } = await api.createProject()
  const { client: otherClient } = await api.createKey(projectId)
  const { endpoint } = await client.webhooks.create(projectId, body)
  await otherClient.webhooks.create(projectId, body)
  await api.stores.keys.revoke(projectId, key.id, operator)
  const { endpoints } = await otherClient.webhooks.list(projectId)
  expect(endpoints.map(({ disabledReason }) => disabledReason)).toEqual([null, 'creator_left'])
  const enabled = await otherClient.webhooks.change(projectId, endpoint.id, { isEnabled: true })
  expect(enabled).toMatchObject({ isEnabled: true, responsible: expect.stringMatching(/^key_/) })
  expect(enabled.responsible).not.toBe(key.id)
})
