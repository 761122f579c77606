import { expect, test } from 'vitest'
import { actInWords, whoActed } from './audit-words.ts'

test.each([
  [{ action: 'key.created', detail: { name: 'CI' } }, 'made the API key “CI”'],
  [
    { action: 'member.role_changed', detail: { from: 'viewer', to: 'owner' } },
    "changed a member's role from viewer to owner",
  ],
  [{ action: 'project.instructions_changed', detail: { characters: 0 } }, 'took back the instructions for the agent'],
  [
    { action: 'project.settings_changed', detail: { jobRetentionDays: 30 } },
    'changed how long jobs are kept, to 30 days',
  ],
  [
    { action: 'project.settings_changed', detail: { defaultModel: null } },
    "changed the model, to the installation's default",
  ],
  [{ action: 'member.added', detail: { email: 'ada@example.com', role: 'editor' } }, 'joined as editor'],
  [{ action: 'member.added', detail: { email: 'b@example.com', role: 'editor' } }, 'added b@example.com as editor'],
  [{ action: 'something.new', detail: {} }, 'something.new'],
  [{ action: 'runner.created', detail: {} }, 'made the runner'],
  [{ action: 'repository.issue_changed', detail: { issue: 'access_revoked' } }, 'no longer lets Colophon in'],
  [{ action: 'repository.issue_changed', detail: { issue: null } }, 'lets Colophon work in the repository again'],
])('%j', (entry, said) => expect(actInWords({ actor: 'ada@example.com', ...entry })).toBe(said))

test('who did it', () => {
  expect(whoActed('operator')).toEqual({ kind: 'operator', name: 'The operator' })
  expect(whoActed('code-host')).toEqual({ kind: 'code-host', name: 'The code host' })
  expect(whoActed('ada@example.com')).toEqual({ kind: 'person', name: 'ada@example.com' })
  expect(whoActed('key_1')).toEqual({ kind: 'key', name: 'API key key_1' })
})
