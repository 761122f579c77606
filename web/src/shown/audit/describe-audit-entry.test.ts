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
  [{ action: 'repository.changed', detail: { publishing: { draft: true } } }, 'changed how pull requests are opened'],
  [
    {
      action: 'repository.rules_changed',
      detail: { from: { activeContent: 'refuse' }, to: { activeContent: 'hold' } },
    },
    'changed the publishing rules (active content is held for approval)',
  ],
  [
    {
      action: 'repository.rules_changed',
      detail: {
        from: { allowedPaths: [], furtherDocsFolders: ['blog'], requireApproval: true, fixFailedChecks: false },
        to: {
          allowedPaths: ['openapi.yaml', 'examples/'],
          furtherDocsFolders: [],
          requireApproval: true,
          fixFailedChecks: true,
        },
      },
    },
    'changed the publishing rules (further allowed paths: openapi.yaml, examples/; no further docs folders; failed CI checks are sent to the agent)',
  ],
  [
    { action: 'repository.rules_changed', detail: { from: { siteGenerator: 'hugo' }, to: { siteGenerator: null } } },
    'changed the publishing rules (the site generator is recognized)',
  ],
  [{ action: 'repository.rules_changed', detail: {} }, 'changed the publishing rules'],
  [{ action: 'job.message_sent', detail: {} }, 'sent a message to a job'],
  [
    { action: 'job.message_sent', detail: { failedCheck: 'build', commit: 'a' } },
    'reported the failed CI check “build”, which was sent to the agent',
  ],
  [{ action: 'job.approved', detail: { diffSha256: 'a' } }, 'approved the result of a job'],
  [{ action: 'job.rejected', detail: { diffSha256: 'a' } }, 'rejected the result of a job'],
  [
    { action: 'repository.issue_changed', detail: { issue: 'access_revoked' } },
    'revoked the access of Colophon to the repository',
  ],
  [{ action: 'repository.issue_changed', detail: { issue: 'not_found' } }, 'no longer finds the repository'],
  [
    {
      action: 'access.denied',
      detail: {
        route: 'POST /x',
        code: 'unauthenticated',
        reason: 'claims_differ',
        mismatches: [{ identity: 'fid_1', claim: 'ref', expected: 'refs/heads/main', actual: null }],
      },
    },
    'was denied POST /x (claims_differ): ref is missing, expected refs/heads/main',
  ],
  [{ action: 'repository.issue_changed', detail: { issue: null } }, 'restored access to the repository'],
])('describes %j', (entry, description) =>
  expect(describeAuditEntry({ actor: 'ada@example.com', ...entry })).toBe(description),
)

test('recognizes the kind of actor', () => {
  expect(parseAuditActor('operator')).toEqual({ kind: 'operator', name: 'colophon-server admin' })
  expect(parseAuditActor('code-host')).toEqual({ kind: 'code-host', name: 'The code host' })
  expect(parseAuditActor('ada@example.com')).toEqual({ kind: 'person', name: 'ada@example.com' })
  expect(parseAuditActor('fid_1')).toEqual({ kind: 'ci-run', name: 'CI run' })
  expect(parseAuditActor('key_1')).toEqual({ kind: 'key', name: 'API key key_1' })
})
