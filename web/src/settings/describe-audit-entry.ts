import type { AuditEntry } from '@colophon/sdk'

type Detail = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const quotedName = (detail: Detail) => (text(detail.name) ? ` “${text(detail.name)}”` : '')

const issueDescriptions: Readonly<Record<string, string>> = {
  archived: 'archived the repository',
  not_found: 'no longer finds the repository',
  access_revoked: 'revoked the access of Colophon to the repository',
}

/** Describes an action. Actions that are missing here are shown by their names. */
const descriptions: Readonly<Record<string, (detail: Detail) => string>> = {
  'project.created': (detail) => `created the project${quotedName(detail)}`,
  'project.renamed': (detail) => `renamed the project to${quotedName(detail)}`,
  'project.instructions_changed': ({ characters }) =>
    characters === 0 ? 'removed the agent instructions' : 'changed the agent instructions',
  'project.settings_changed': (detail) => `changed ${changedSettings(detail)}`,
  'project.paused': () => 'paused the project',
  'project.resumed': () => 'resumed the project',
  'member.invited': ({ email, role }) => `invited ${text(email)} as ${text(role)}`,
  'invitation.revoked': ({ email }) => `revoked the invitation for ${text(email)}`,
  'member.added': ({ email, role }) => `added ${text(email)} as ${text(role)}`,
  'member.role_changed': ({ from, to }) => `changed a member's role from ${text(from)} to ${text(to)}`,
  'member.removed': ({ email }) => `removed ${text(email)}`,
  'key.created': (detail) => `created the API key${quotedName(detail)}`,
  'key.revoked': ({ because }) =>
    because ? 'revoked an API key, together with the key that created it' : 'revoked an API key',
  'credential.stored': () => 'stored an access token for the code host',
  'repository.connected': ({ owner, name }) => `connected the repository ${text(owner)}/${text(name)}`,
  'repository.changed': ({ publishing }) =>
    publishing ? 'changed the publishing rules' : 'changed the base branch or the docs folder',
  'repository.renamed': ({ from, to }) => `renamed the repository ${text(from)} to ${text(to)}`,
  'repository.issue_changed': ({ issue }) => issueDescriptions[text(issue)] ?? 'restored access to the repository',
  'budget.changed': () => 'changed the budget',
  'runner.created': (detail) => `created the runner${quotedName(detail)}`,
  'runner.revoked': (detail) => `revoked the runner${quotedName(detail)}`,
  'job.created': () => 'created a job',
  'job.message_sent': () => 'sent a message to a job',
  'job.cancelled': () => 'cancelled a job',
  'job.archived': () => 'archived a job',
  'analytics.settings_changed': ({ reason }) =>
    reason === 'first_site_key'
      ? 'switched the counting of human views to the script, by creating the first site key'
      : 'changed how page views are counted',
  'site_key.created': () => 'created a site key',
  'site_key.revoked': () => 'revoked a site key',
}

export function describeAuditEntry({ action, actor, detail }: Pick<AuditEntry, 'action' | 'actor' | 'detail'>): string {
  if (action === 'member.added' && detail.email === actor) return `joined as ${text(detail.role)}`
  return descriptions[action]?.(detail) ?? action
}

function changedSettings({ defaultModel, jobRetentionDays }: Detail): string {
  const changes = [
    defaultModel !== undefined &&
      (defaultModel === null ? 'the model to the default of the instance' : `the model to ${text(defaultModel)}`),
    jobRetentionDays !== undefined &&
      (jobRetentionDays === null ? 'the job retention to forever' : `the job retention to ${jobRetentionDays} days`),
  ]
  return changes.filter((change) => change !== false).join(' and ') || 'settings'
}

export type AuditActor = { kind: 'person' | 'key' | 'operator' | 'code-host'; name: string }

/** An actor is an email address, the ID of an API key, `operator` for `colophon-server admin`, or an unknown user of the code host. */
export function parseAuditActor(actor: string): AuditActor {
  if (actor === 'operator') return { kind: 'operator', name: 'colophon-server admin' }
  if (actor === 'code-host') return { kind: 'code-host', name: 'The code host' }
  return actor.includes('@') ? { kind: 'person', name: actor } : { kind: 'key', name: `API key ${actor}` }
}
