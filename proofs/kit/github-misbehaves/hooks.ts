/** Webhooks that are not GitHub's, and GitHub's own that come again. */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '../../../dev-services/github/deliveries.ts'
import type { ProofRun } from '../../proof.ts'
import type { GithubStage } from './stage.ts'
import { oneOf, type Tally } from './tally.ts'

export const hookTricks = [
  'signature wrong',
  'signature missing',
  "signed with another App's secret",
  'changed after it was signed',
  'replayed',
  'replayed under another delivery id',
  'delivered once more by GitHub',
] as const
export type HookTrick = (typeof hookTricks)[number]

const signature = 'x-hub-signature-256'

export async function trickHooks(
  run: ProofRun,
  { control, projects }: GithubStage,
  { tally, random, stop }: { tally: Tally<HookTrick>; random: () => number; stop: AbortSignal },
): Promise<void> {
  await control.makeUser('other-maker')
  const permissions = { metadata: 'read', pull_requests: 'read' } as const
  const otherApp = await control.makeApp('other-maker', {
    name: 'Another App',
    url: 'https://other.example',
    hook_attributes: { url: 'https://other.example/hook' },
    default_permissions: permissions,
    default_events: ['pull_request'],
  })
  const send = async ({ url, headers, body }: Pick<Delivery, 'url' | 'headers' | 'body'>) =>
    (await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) })).status
  const signedBy = (secret: string, body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

  const tricks: Record<HookTrick, (delivery: Delivery) => Promise<{ is: number; wanted: number } | undefined>> = {
    'signature wrong': async ({ url, headers, body }) => ({
      is: await send({ url, headers: { ...headers, [signature]: `sha256=${'0'.repeat(64)}` }, body }),
      wanted: 401,
    }),
    'signature missing': async ({ url, headers: { [signature]: _, ...headers }, body }) => ({
      is: await send({ url, headers, body }),
      wanted: 401,
    }),
    "signed with another App's secret": async ({ url, headers, body }) => ({
      is: await send({ url, headers: { ...headers, [signature]: signedBy(otherApp.webhookSecret, body) }, body }),
      wanted: 401,
    }),
    'changed after it was signed': async ({ url, headers, body }) => ({
      is: await send({ url, headers, body: body.replace('"action":"', '"action":"not-') }),
      wanted: body.includes('"action":"') ? 401 : 204,
    }),
    replayed: async ({ url, headers, body }) => ({ is: await send({ url, headers, body }), wanted: 204 }),
    'replayed under another delivery id': async ({ url, headers, body }) => ({
      is: await send({ url, headers: { ...headers, 'x-github-delivery': randomUUID() }, body }),
      wanted: 204,
    }),
    'delivered once more by GitHub': async ({ id }) => {
      await control.redeliver(id)
      return undefined
    },
  }

  while (!stop.aborted) {
    const deliveries = await control.deliveries(oneOf(projects, random).repository.owner)
    for (const trick of hookTricks) {
      if (deliveries.length === 0) break
      const answered = await tricks[trick](oneOf(deliveries, random))
      run.check(
        answered?.is === answered?.wanted,
        `a webhook ${trick} is answered ${answered?.wanted}: ${answered?.is}`,
      )
      tally.add(trick)
    }
    await sleep(2_000 + random() * 4_000, undefined, { signal: stop }).catch(() => {})
  }
}
