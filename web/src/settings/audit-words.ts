import type { AuditEntry } from '@colophon/sdk'

type Say = (detail: Readonly<Record<string, unknown>>) => string

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const named = (detail: Readonly<Record<string, unknown>>) => (text(detail.name) ? ` “${text(detail.name)}”` : '')

const issues: Readonly<Record<string, string>> = {
  archived: 'has archived the repository',
  gone: 'no longer shows the repository',
  access_revoked: 'no longer lets Colophon in',
}

/** What was done, in words. An action that is not here yet is shown by its own name. */
const words: Readonly<Record<string, Say>> = {
  'project.created': (detail) => `made the project${named(detail)}`,
  'project.renamed': (detail) => `renamed the project to${named(detail)}`,
  'project.instructions_changed': ({ characters }) =>
    characters === 0 ? 'took back the instructions for the agent' : 'changed the instructions for the agent',
  'project.settings_changed': (detail) => `changed ${changedSettings(detail)}`,
  'project.paused': () => 'paused the project',
  'project.resumed': () => 'let the project go on',
  'member.invited': ({ email, role }) => `invited ${text(email)} as ${text(role)}`,
  'invitation.revoked': ({ email }) => `revoked the invitation of ${text(email)}`,
  'member.added': ({ email, role }) => `added ${text(email)} as ${text(role)}`,
  'member.role_changed': ({ from, to }) => `changed a member's role from ${text(from)} to ${text(to)}`,
  'member.removed': ({ email }) => `removed ${text(email)}`,
  'key.created': (detail) => `made the API key${named(detail)}`,
  'key.revoked': ({ because }) => (because ? 'revoked an API key, with the key that made it' : 'revoked an API key'),
  'credential.stored': () => "stored a code host's token, sealed",
  'repository.connected': ({ owner, name }) => `connected the repository ${text(owner)}/${text(name)}`,
  'repository.changed': ({ publishing }) =>
    publishing ? 'changed the publishing rules' : 'changed where in the repository the agent works',
  'repository.renamed': ({ from, to }) => `renamed the repository ${text(from)} to ${text(to)}`,
  'repository.issue_changed': ({ issue }) => issues[text(issue)] ?? 'lets Colophon work in the repository again',
  'budget.changed': () => "changed the caps of the project's models",
  'runner.created': (detail) => `made the runner${named(detail)}`,
  'runner.revoked': (detail) => `revoked the runner${named(detail)}`,
  'job.created': () => 'started a job',
  'job.message_sent': () => 'sent a message to a job',
  'job.cancelled': () => 'cancelled a job',
  'job.archived': () => 'archived a job',
  'analytics.settings_changed': () => 'changed how page views are counted',
  'site_key.created': () => 'made a site key',
  'site_key.revoked': () => 'revoked a site key',
}

export function actInWords({ action, actor, detail }: Pick<AuditEntry, 'action' | 'actor' | 'detail'>): string {
  if (action === 'member.added' && detail.email === actor) return `joined as ${text(detail.role)}`
  return words[action]?.(detail) ?? action
}

function changedSettings({ defaultModel, jobRetentionDays }: Readonly<Record<string, unknown>>): string {
  const parts = [
    defaultModel !== undefined &&
      (defaultModel === null ? "the model, to the installation's default" : `the model, to ${text(defaultModel)}`),
    jobRetentionDays !== undefined &&
      (jobRetentionDays === null
        ? 'how long jobs are kept, to for ever'
        : `how long jobs are kept, to ${jobRetentionDays} days`),
  ]
  return parts.filter((part) => part !== false).join(', and ') || 'settings'
}

export type Acted = { kind: 'person' | 'key' | 'operator' | 'code-host'; name: string }

/** Who did it: an address, a key's id, whoever sat at the machine, or somebody on the code host, where we only saw it. */
export function whoActed(actor: string): Acted {
  if (actor === 'operator') return { kind: 'operator', name: 'The operator' }
  if (actor === 'code-host') return { kind: 'code-host', name: 'The code host' }
  return actor.includes('@') ? { kind: 'person', name: actor } : { kind: 'key', name: `API key ${actor}` }
}
