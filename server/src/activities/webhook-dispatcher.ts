/**
 * Wakes the workflows of endpoints with deliveries that are due. Events are committed with what happened, so no process that is killed
 * afterwards can lose one: what is due is found here. Also reports silent runners, tells owners about disabled endpoints, and deletes old
 * deliveries.
 */
import type { RunnerStore } from '../jobs/runner-store.ts'
import { type BackgroundTask, repeatBatches, runSteps, startBackgroundTask } from '../platform/background-task.ts'
import type { Log } from '../platform/log.ts'
import type { Mailer } from '../platform/mailer.ts'
import type { DeliveryStore, DisabledNotice } from '../webhooks/delivery-store.ts'
import type { WakeEndpoint } from '../webhooks/endpoint-signaler.ts'

export interface WebhookDispatcherDeps {
  deliveries: DeliveryStore
  runners: RunnerStore
  wakeEndpoint: WakeEndpoint
  /** The owners of the project who have joined it. */
  listOwners(projectId: DisabledNotice['projectId']): Promise<readonly string[]>
  /** Undefined: the notice is only on the dashboard. */
  mailer: Mailer | undefined
  publicUrl: string | undefined
  log: Log
}

const wakeIntervalMs = 500
const maintenanceIntervalMs = 10_000
const wakeBatch = 50
const rowBatch = 1_000
const noticeBatch = 20

export function startWebhookDispatcher(deps: WebhookDispatcherDeps): BackgroundTask {
  const { deliveries, runners, wakeEndpoint, log } = deps
  const waking = startBackgroundTask({
    async round() {
      const due = await deliveries.claimToWake(wakeBatch)
      await Promise.all(due.map(wakeEndpoint))
    },
    intervalMs: wakeIntervalMs,
    failureMessage: 'could not wake endpoints: trying again',
    log,
  })
  const maintenance = startBackgroundTask({
    round: () =>
      runSteps(
        {
          'report silent runners': () => runners.reportOffline(),
          'give up overdue deliveries': () => repeatBatches((limit) => deliveries.giveUpOverdue(limit), rowBatch),
          'delete old deliveries': () => repeatBatches((limit) => deliveries.deleteExpired(limit), rowBatch),
          'tell owners about disabled endpoints': () => sendNotices(deps),
        },
        log,
      ),
    intervalMs: maintenanceIntervalMs,
    failureMessage: 'maintenance of webhooks failed',
    log,
  })
  return {
    async stop() {
      await Promise.all([waking.stop(), maintenance.stop()])
    },
  }
}

export async function sendNotices({
  deliveries,
  listOwners,
  mailer,
  publicUrl,
  log,
}: WebhookDispatcherDeps): Promise<void> {
  if (!mailer) return
  for (const notice of await deliveries.takeDueNotices(noticeBatch)) {
    try {
      for (const to of await listOwners(notice.projectId))
        await mailer.send({ to, ...composeNotice(notice, publicUrl) })
      await deliveries.confirmNotice(notice.endpointId)
    } catch (error) {
      log.warn({ error: String(error) }, 'notice about a disabled endpoint not sent; it is sent again later')
    }
  }
}

const reasons = {
  by_person: 'Someone disabled it.',
  gone: 'It responded with 410, which means that it no longer exists.',
  failing: 'Nothing could be delivered to it for days.',
  creator_left: 'The person or key that created it has lost access to the project.',
  recipient_left: 'Its email address is no longer that of a member of the project.',
} as const

function composeNotice({ projectId, name, target, reason }: DisabledNotice, publicUrl: string | undefined) {
  return {
    subject: `A webhook endpoint was disabled: ${name}`,
    text: [
      `The webhook endpoint ${name} (${target}) was disabled. ${reasons[reason]}`,
      'New events are not sent to it. Fix the receiver and enable the endpoint again, or delete it, on the page Webhooks of the project.',
      ...(publicUrl === undefined ? [] : [`${publicUrl}/projects/${projectId}/settings/webhooks`]),
    ].join('\n\n'),
  }
}
