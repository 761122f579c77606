import type { AuditEntry } from '@colophon/sdk'

type Detail = Readonly<Record<string, unknown>>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const quotedName = (detail: Detail) => (text(detail.name) ? ` “${text(detail.name)}”` : '')

/** Older entries do not say who. In those about a deleted person, the ID has replaced the email address. */
const person = (email: unknown): string => (text(email).includes('@') ? text(email) : 'a person')

const issueDescriptions: Readonly<Record<string, string>> = {
  archived: 'archived the repository',
  not_found: 'no longer finds the repository',
  access_revoked: 'revoked the access of Colophon to the repository',
}

/** Why access was revoked: together with the key, member or person that created it. */
function describeReason(because: unknown): string {
  const [kind] = text(because).split('_')
  if (kind === 'key') return ', together with the key that created it'
  return kind === 'mbr' || kind === 'per' ? ', together with the access of its creator' : ''
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
  'invitation.revoked': ({ email, because }) => `revoked the invitation for ${text(email)}${describeReason(because)}`,
  'invitation.taken_over': ({ from }) => `took over an invitation from ${text(from)}`,
  'member.added': ({ email, role }) => `added ${text(email)} as ${text(role)}`,
  'member.role_changed': ({ from, to }) => `changed a member's role from ${text(from)} to ${text(to)}`,
  'member.removed': ({ email }) => `removed ${text(email)}`,
  'second_factor.required': () => 'required a second factor of all members',
  'second_factor.not_required': () => 'stopped requiring a second factor of members',
  'member.disabled': ({ email }) => `disabled the account of ${person(email)}`,
  'member.enabled': ({ email }) => `enabled the account of ${person(email)}`,
  'key.created': (detail) => `created the API key${quotedName(detail)}`,
  'key.revoked': ({ because }) => `revoked an API key${describeReason(because)}`,
  'key.taken_over': ({ from }) => `took over an API key from ${text(from)}`,
  'federated_identity.created': (detail) => `created the federated identity${quotedName(detail)}`,
  'federated_identity.deleted': (detail) =>
    `deleted the federated identity${quotedName(detail)}${describeReason(detail.because)}`,
  'federated_identity.taken_over': ({ from }) => `took over a federated identity from ${text(from)}`,
  'credential.stored': () => 'stored an access token for the code host',
  'repository.connected': ({ owner, name }) => `connected the repository ${text(owner)}/${text(name)}`,
  'repository.changed': ({ publishing }) =>
    publishing ? 'changed how pull requests are opened' : 'changed the base branch or the docs folder',
  'repository.rules_changed': (detail) => `changed the publishing rules${describeChangedRules(detail)}`,
  'repository.renamed': ({ from, to }) => `renamed the repository ${text(from)} to ${text(to)}`,
  'repository.issue_changed': ({ issue }) => issueDescriptions[text(issue)] ?? 'restored access to the repository',
  'budget.changed': () => 'changed the budget',
  'runner.created': (detail) => `created the runner${quotedName(detail)}`,
  'runner.revoked': (detail) => `revoked the runner${quotedName(detail)}${describeReason(detail.because)}`,
  'runner.taken_over': ({ from }) => `took over a runner from ${text(from)}`,
  'runner.token_rotated': (detail) => `rotated the token of the runner${quotedName(detail)}`,
  'webhook.created': (detail) => `created the webhook endpoint${quotedName(detail)}`,
  'webhook.changed': () => 'changed a webhook endpoint',
  'webhook.enabled': (detail) => `enabled the webhook endpoint${quotedName(detail)}`,
  'webhook.disabled': (detail) => `disabled the webhook endpoint${quotedName(detail)}`,
  'webhook.secret_rotated': (detail) => `rotated the secret of the webhook endpoint${quotedName(detail)}`,
  'webhook.deleted': (detail) => `deleted the webhook endpoint${quotedName(detail)}`,
  'webhook.resent': () => 'sent an event to a webhook endpoint again',
  'job.created': () => 'created a job',
  'job.message_sent': ({ failedCheck, commit }) =>
    commit
      ? `reported the failed CI check “${text(failedCheck)}”, which was sent to the agent`
      : 'sent a message to a job',
  'job.cancelled': () => 'cancelled a job',
  'job.archived': () => 'archived a job',
  'job.approved': () => 'approved the result of a job',
  'job.rejected': () => 'rejected the result of a job',
  'analytics.settings_changed': ({ reason }) =>
    reason === 'first_site_key'
      ? 'switched the counting of human views to the script, by creating the first site key'
      : 'changed how page views are counted',
  'site_key.created': () => 'created a site key',
  'site_key.revoked': () => 'revoked a site key',
  'access.denied': (detail) =>
    `was denied ${text(detail.route)} (${text(detail.reason ?? detail.code)})${describeMismatches(detail)}`,
  'session.started': ({ method }) => `signed in${signInMethods[text(method)] ?? ''}`,
  'session.failed': ({ email, method, provider }) => {
    const how = method === 'passkey' ? ' with a passkey' : ''
    if (email || method) return `failed to sign in${email ? ` as ${text(email)}` : ''}${how}`
    return provider ? `failed to sign in with the OpenID provider (${text(provider)})` : 'entered a wrong second factor'
  },
  'session.ended': () => 'signed out',
  'session.other_ended': () => 'ended another session of theirs',
  'session.others_ended': () => 'ended their other sessions',
  'password.changed': () => 'changed their password',
  'password.reset': () => 'set a new password with a link',
  'password_link.created': () => 'created a link for setting a new password',
  'provider.linked': () => 'linked their account at the OpenID provider',
  'second_factor.set_up': () => 'set up a second factor',
  'second_factor.removed': () => 'removed their second factor',
  'second_factor.recovery_codes_created': () => 'created new recovery codes',
  'passkey.added': (detail) => `added the passkey${quotedName(detail)}`,
  'passkey.removed': (detail) => `removed the passkey${quotedName(detail)}`,
  'model.added': ({ baseUrl }) => `added a model at ${text(baseUrl)}`,
  'model.removed': ({ baseUrl }) => `removed a model at ${text(baseUrl)}`,
  'model.made_default': () => 'made a model the default of the instance',
  'model.projects_changed': ({ projectIds }) =>
    projectIds === null ? 'made a model available to all projects' : 'changed which projects may use a model',
  'github_app.stored': ({ slug, previousAppId }) =>
    `${previousAppId === null ? 'added' : 'replaced'} the GitHub App ${text(slug)}`,
  'secrets.resealed': ({ resealed }) => `sealed ${Number(resealed)} secrets again`,
  'instance.recovered': () => 'reset jobs and deliveries after a recovery of PostgreSQL',
  'backup.restored': ({ backup }) => `restored the backup ${String(backup)}`,
  'person.disabled': ({ email }) => `disabled ${person(email)}`,
  'person.enabled': ({ email }) => `enabled ${person(email)}`,
  'person.deleted': () => 'deleted a person',
  'person.sessions_ended': ({ email }) => `ended all sessions of ${person(email)}`,
  'operator.added': ({ email }) => `made ${person(email)} an operator`,
  'project.deleted': ({ name }) => `deleted the project ${text(name)}`,
  'project.webhook_left': ({ repository }) =>
    `could not be reached to remove the webhook of a deleted project from ${text(repository)}`,
  'operator.revoked': ({ email }) => `revoked the operator role of ${person(email)}`,
}

const signInMethods: Readonly<Record<string, string>> = {
  password: ' with a password',
  passkey: ' with a passkey',
  second_factor: ' with a second factor',
  provider: ' with the OpenID provider',
  invitation: ' by accepting an invitation',
  password_link: ' with a link for setting a password',
  owner_link: ' as the first owner',
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

const ruleDescriptions: Readonly<Record<string, (value: unknown) => string>> = {
  siteGenerator: (generator) =>
    generator === null ? 'the site generator is recognized' : `the site generator is ${text(generator)}`,
  furtherDocsFolders: (folders) => describePaths('further docs folders', folders),
  allowedPaths: (paths) => describePaths('further allowed paths', paths),
  activeContent: (rule) => `active content is ${rule === 'hold' ? 'held for approval' : 'refused'}`,
  requireApproval: (isRequired) =>
    isRequired ? 'every result requires approval' : 'not every result requires approval',
  fixFailedChecks: (isSent) => `failed CI checks are ${isSent ? 'sent' : 'not sent'} to the agent`,
}

const describePaths = (name: string, paths: unknown): string =>
  Array.isArray(paths) && paths.length > 0 ? `${name}: ${paths.join(', ')}` : `no ${name}`

function describeChangedRules({ from, to }: Detail): string {
  const before = toDetail(from)
  const changes = Object.entries(toDetail(to))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]))
    .flatMap(([name, value]) => ruleDescriptions[name]?.(value) ?? [])
  return changes.length === 0 ? '' : ` (${changes.join('; ')})`
}

const toDetail = (value: unknown): Detail => (typeof value === 'object' && value !== null ? (value as Detail) : {})

export type AuditActor = { kind: 'person' | 'key' | 'ci-run' | 'operator' | 'code-host' | 'anonymous'; name: string }

/** An actor is an email address, the ID of an API key or a federated identity, `operator` for `colophon-server admin`, or an unknown user of the code host. */
export function parseAuditActor(actor: string): AuditActor {
  if (actor === 'operator') return { kind: 'operator', name: 'colophon-server admin' }
  if (actor === 'code-host') return { kind: 'code-host', name: 'The code host' }
  if (actor === 'anonymous') return { kind: 'anonymous', name: 'Someone' }
  if (actor.startsWith('per_')) return { kind: 'person', name: 'A deleted person' }
  if (actor.startsWith('fid_')) return { kind: 'ci-run', name: 'CI run' }
  return actor.includes('@') ? { kind: 'person', name: actor } : { kind: 'key', name: `API key ${actor}` }
}

/** Why the ID token of a CI run was rejected, for each federated identity of its issuer. */
function describeMismatches({ mismatches, because }: Detail): string {
  if (typeof because === 'string') return `: ${because}`
  if (!Array.isArray(mismatches)) return ''
  const texts = (mismatches as Detail[]).map(
    ({ claim, expected, actual }) =>
      `${text(claim)} is ${actual === null ? 'missing' : text(actual)}, expected ${text(expected)}`,
  )
  return `: ${texts.join('; ')}`
}
