import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { failedSignInDays } from '../server/src/audit/audit-store.ts'
import { eventRetentionDays } from '../server/src/jobs/agent-event-store.ts'
import { sessionSeconds } from '../server/src/people/better-auth.ts'
import { linkDays } from '../server/src/people/invitation-store.ts'
import { settings } from '../server/src/platform/settings/settings.ts'
import { deletedProjectAuditDays } from '../server/src/project-deletion/project-deletion-store.ts'
import { webhookDeliveryRetentionDays } from '../server/src/projects/webhook-delivery-store.ts'
import { deliveryRetentionDays } from '../server/src/webhooks/delivery-store.ts'

const page = readFileSync(join(import.meta.dirname, '../docs/data-protection.md'), 'utf8')
const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
const { name, documentedDefault } = settings.audit.retentionDays

/** What the column `how long` of a row says. */
const expected: Readonly<Record<string, string>> = {
  sessions: `${sessionSeconds / 86_400} days`,
  'members and invitations': `invitations ${linkDays} days`,
  'audit log': `${documentedDefault.replaceAll('`', '')} days (\`${name}\`); of a deleted project ${deletedProjectAuditDays} days`,
  'failed sign-ins in the audit log': `${failedSignInDays} days`,
  'events of agents': `${eventRetentionDays} days`,
  'deliveries to them': `${deliveryRetentionDays} days`,
  'webhook deliveries of code hosts': `${webhookDeliveryRetentionDays} days`,
}

test.each(Object.entries(expected))('docs/data-protection.md says how long we keep: %s', (data, howLong) => {
  expect(rows.find(([, first]) => first === data)?.[5]).toContain(howLong)
})
