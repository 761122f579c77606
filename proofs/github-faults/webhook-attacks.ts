/** Forged webhooks, and replays of GitHub's own. */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '@colophon/github-simulator/control'
import type { ProofRun } from '../proof.ts'
import type { GithubFixture } from './fixture.ts'
import { pickOne, type Tally } from './tally.ts'

export const webhookAttackKinds = [
  'with a wrong signature',
  'without a signature',
  "signed with another App's secret",
  'changed after signing',
  'replayed',
  'replayed with another delivery id',
  'redelivered by GitHub',
] as const
export type WebhookAttackKind = (typeof webhookAttackKinds)[number]

const signatureHeader = 'x-hub-signature-256'

export async function attackWebhooks(
  run: ProofRun,
  { control, projects }: GithubFixture,
  { tally, random, stop }: { tally: Tally<WebhookAttackKind>; random: () => number; stop: AbortSignal },
): Promise<void> {
  await control.createUser('other-app-owner')
  const permissions = { metadata: 'read', pull_requests: 'read' } as const
  const otherApp = await control.createApp('other-app-owner', {
    name: 'Another App',
    url: 'https://other.example',
    hook_attributes: { url: 'https://other.example/hook' },
    default_permissions: permissions,
    default_events: ['pull_request'],
  })
  const send = async ({ url, headers, body }: Pick<Delivery, 'url' | 'headers' | 'body'>) =>
    (await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) })).status
  const sign = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

  const attacks: Record<
    WebhookAttackKind,
    (delivery: Delivery) => Promise<{ status: number; expected: number } | undefined>
  > = {
    'with a wrong signature': async ({ url, headers, body }) => ({
      status: await send({ url, headers: { ...headers, [signatureHeader]: `sha256=${'0'.repeat(64)}` }, body }),
      expected: 401,
    }),
    'without a signature': async ({ url, headers: { [signatureHeader]: _, ...headers }, body }) => ({
      status: await send({ url, headers, body }),
      expected: 401,
    }),
    "signed with another App's secret": async ({ url, headers, body }) => ({
      status: await send({ url, headers: { ...headers, [signatureHeader]: sign(otherApp.webhookSecret, body) }, body }),
      expected: 401,
    }),
    'changed after signing': async ({ url, headers, body }) => ({
      status: await send({ url, headers, body: body.replace('"action":"', '"action":"not-') }),
      expected: body.includes('"action":"') ? 401 : 204,
    }),
    replayed: async ({ url, headers, body }) => ({ status: await send({ url, headers, body }), expected: 204 }),
    'replayed with another delivery id': async ({ url, headers, body }) => ({
      status: await send({ url, headers: { ...headers, 'x-github-delivery': randomUUID() }, body }),
      expected: 204,
    }),
    'redelivered by GitHub': async ({ id }) => {
      await control.redeliver(id)
      return undefined
    },
  }

  while (!stop.aborted) {
    const deliveries = await control.deliveries(pickOne(projects, random).repository.owner)
    for (const attack of webhookAttackKinds) {
      if (deliveries.length === 0) break
      const response = await attacks[attack](pickOne(deliveries, random))
      run.check(
        response?.status === response?.expected,
        `a webhook ${attack} gets ${response?.expected}, got ${response?.status}`,
      )
      tally.add(attack)
    }
    await sleep(2_000 + random() * 4_000, undefined, { signal: stop }).catch(() => {})
  }
}
