/**
 * Sends the entries of all audit logs to the webhook of the instance, as lines of JSON, in the order of their IDs. An entry is sent at least
 * once: the receiver recognizes a repeated one by its ID.
 */
import { createHmac } from 'node:crypto'
import type { AuditExportStore, ExportedEntry } from '../audit/audit-export-store.ts'
import { type BackgroundTask, startBackgroundTask } from '../platform/background-task.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { Log } from '../platform/log.ts'
import { postToWebhook } from './post-to-webhook.ts'

export interface AuditWebhook {
  url: string
  /** Signs the body, so that the receiver can check the sender. */
  secret: string
}

const intervalMs = 2_000
const maxEntries = 500
/** After a failure, entries are sent again when their lease has expired. Longer than a request can take. */
const leaseSeconds = 30

/** Without a webhook, nothing is queued. */
export function startAuditExporter({
  exports,
  webhook,
  egress,
  log,
}: {
  exports: AuditExportStore
  webhook: AuditWebhook | undefined
  egress: Egress
  log: Log
}): BackgroundTask {
  let isTargetStored = false
  return startBackgroundTask({
    async round(stopping) {
      if (!isTargetStored) {
        await exports.setTarget(webhook?.url)
        isTargetStored = true
      }
      while (webhook && !stopping.aborted) {
        const entries = await exports.lease({ limit: maxEntries, leaseSeconds })
        if (entries.length === 0) return
        await send(egress, webhook, entries)
        await exports.remove(entries)
      }
    },
    intervalMs,
    failureMessage: 'could not send audit entries to the webhook: trying again',
    log,
  })
}

async function send(egress: Egress, { url, secret }: AuditWebhook, entries: readonly ExportedEntry[]): Promise<void> {
  const body = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  const { status } = await postToWebhook(egress, url, {
    headers: {
      'content-type': 'application/x-ndjson',
      'x-colophon-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  })
  if (status < 200 || status > 299) throw new Error(`the webhook responded with ${status}`)
}
