import { expect, test } from 'vitest'
import { describeAuditEntry, parseAuditActor } from './describe-audit-entry.ts'

test.each([
  [{ action: 'key.created', detail: { name: 'CI' } }, 'created the API key “CI”'],
  [
    { action: 'member.role_changed', detail: { from: 'viewer', to: 'owner' } },
    "changed a member's role from viewer to owner",
  ],
  [{ action: 'project.instructions_changed', detail: { characters: 0 } }, 'removed the agent instructions'],
  [{ action: 'project.settings_changed', detail: { jobRetentionDays: 30 } }, 'changed the job retention to 30 days'],
  [
    { action: 'project.settings_changed', detail: { defaultModel: null } },
    'changed the model to the default of the instance',
  ],
  [{ action: 'member.added', detail: { email: 'ada@example.com', role: 'editor' } }, 'joined as editor'],
  [{ action: 'member.added', detail: { email: 'b@example.com', role: 'editor' } }, 'added b@example.com as editor'],
  [
    { action: 'analytics.settings_changed', detail: { humanSource: 'script', reason: 'first_site_key' } },
    'switched the counting of human views to the script, by creating the first site key',
  ],
  [{ action: 'something.new', detail: {} }, 'something.new'],
  [{ action: 'runner.created', detail: {} }, 'created the runner'],
  [
    { action: 'repository.issue_changed', detail: { issue: 'access_revoked' } },
    'revoked the access of Colophon to the repository',
  ],
  [{ action: 'repository.issue_changed', detail: { issue: 'not_found' } }, 'no longer finds the repository'],
  [{ action: 'repository.issue_changed', detail: { issue: null } }, 'restored access to the repository'],
])('describes %j', (entry, description) =>
  expect(describeAuditEntry({ actor: 'ada@example.com', ...entry })).toBe(description),
)

test('recognizes the kind of actor', () => {
  expect(parseAuditActor('operator')).toEqual({ kind: 'operator', name: 'colophon-server admin' })
  expect(parseAuditActor('code-host')).toEqual({ kind: 'code-host', name: 'The code host' })
  expect(parseAuditActor('ada@example.com')).toEqual({ kind: 'person', name: 'ada@example.com' })
  expect(parseAuditActor('key_1')).toEqual({ kind: 'key', name: 'API key key_1' })
})
