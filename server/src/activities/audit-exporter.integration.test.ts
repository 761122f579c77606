import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import { createEgress } from '../platform/egress/egress.ts'
import { createLog } from '../platform/log.ts'
import { startAuditExporter } from './audit-exporter.ts'

const instance = await createTestInstance(inject('services'), 'audit exporter')
afterAll(() => instance.drop())

const secret = 'a secret that both sides know, of some length'
const { projects, auditExports } = instance.stores
const countQueued = async () => Number((await instance.pool.query('SELECT count(*) FROM audit_export')).rows[0].count)

/** Fails the first requests, and then accepts everything. */
async function startReceiver(failures: number) {
  const received: { log: string; id: string; action: string }[] = []
  let requests = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    requests += 1
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    if (requests <= failures || request.headers['x-colophon-signature-256'] !== signature)
      return void response.writeHead(500).end()
    received.push(
      ...body
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit` }
}

function startExporter(url: string | undefined) {
  const allowedHosts = url === undefined ? [] : [new URL(url).host]
  const egress = createEgress({ allowedHosts })
  const webhook = url === undefined ? undefined : { url, secret }
  const log = createLog('test', { level: 'error' })
  const exporter = startAuditExporter({ exports: auditExports, webhook, egress, log })
  return async () => {
    await exporter.stop()
    await egress.close()
  }
}

test('sends each new entry of all logs once, signed, although the receiver fails at first', {
  timeout: 60_000,
}, async () => {
  await projects.create('Before', operator)
  expect(await countQueued()).toBe(0)
  const { received, url } = await startReceiver(1)
  const stops = [startExporter(url), startExporter(url)]
  await expect.poll(async () => (await instance.pool.query('SELECT FROM audit_export_target')).rowCount).toBe(1)
  const created = await Promise.all(
    Array.from({ length: 30 }, (_, index) => projects.create(`Project ${index}`, operator)),
  )
  await instance.stores.audit.recordInstanceEvent(operator, {
    action: 'secrets.resealed',
    subject: 'instance',
    detail: {},
  })
  await expect.poll(() => new Set(received.map(({ id }) => id)).size, { timeout: 50_000 }).toBe(31)
  await expect.poll(countQueued).toBe(0)
  expect(received).toHaveLength(31)
  expect(new Set(received.map(({ log }) => log))).toEqual(new Set([...created.map(({ id }) => id), 'instance']))
  await Promise.all(stops.map((stop) => stop()))
})

test('without a webhook, nothing is queued', async () => {
  const stop = startExporter(undefined)
  await expect.poll(async () => (await instance.pool.query('SELECT FROM audit_export_target')).rowCount).toBe(0)
  await projects.create('After', operator)
  expect(await countQueued()).toBe(0)
  await stop()
})
