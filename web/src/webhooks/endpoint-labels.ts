import type { WebhookDelivery, WebhookEndpoint } from '@colophon/sdk'

export const kindLabels: Readonly<Record<WebhookEndpoint['kind'], string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  email: 'Email',
}

/** In the order in which they are offered. */
export const eventLabels: Readonly<Record<WebhookEndpoint['events'][number], string>> = {
  'job.completed': 'Job completed',
  'job.failed': 'Job failed',
  'job.archived': 'Job archived',
  'job.awaiting_approval': 'Job awaits approval',
  'job.pull_request.opened': 'Pull request opened',
  'job.pull_request.merged': 'Pull request merged',
  'job.pull_request.closed': 'Pull request closed',
  'budget.threshold': 'Budget used to 50, 80 or 100%',
  'runner.offline': 'Runner offline',
}

export const disabledReasonTexts: Readonly<Record<NonNullable<WebhookEndpoint['disabledReason']>, string>> = {
  by_person: 'Someone disabled it.',
  gone: 'It responded with 410, which means that it no longer exists.',
  failing: 'Nothing could be delivered to it for days.',
  creator_left:
    'The person or key that created it has lost access to the project. Check where it leads before you enable it.',
  recipient_left: 'The address is no longer that of a member of the project.',
}

export function describeEndpointState({ isEnabled, failingSince }: WebhookEndpoint): { label: string; color: string } {
  if (!isEnabled) return { label: 'Disabled', color: 'gray' }
  return failingSince === null ? { label: 'Enabled', color: 'green' } : { label: 'Failing', color: 'orange' }
}

export function describeDeliveryState({ status, attempts }: WebhookDelivery): { label: string; color: string } {
  if (status === 'delivered') return { label: 'Delivered', color: 'green' }
  if (status === 'failed') return { label: 'Failed', color: 'red' }
  return attempts === 0 ? { label: 'Waiting', color: 'gray' } : { label: 'Retrying', color: 'orange' }
}

export const formatEventType = (type: string): string =>
  type === 'webhook.test' ? 'Test event' : ((eventLabels as Readonly<Record<string, string>>)[type] ?? type)
