import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseGithubWebhook } from './parse-webhook.ts'

const secret = 'a secret of the App'
const repository = { id: 3, full_name: 'owner/name' }
const pullRequest = { action: 'closed', number: 7, repository }

function delivery(event: string, body: unknown, headers: Record<string, string | undefined> = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const signature = `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`
  return { headers: { 'x-github-event': event, 'x-hub-signature-256': signature, ...headers }, body: bytes }
}

describe('parseGithubWebhook', () => {
  it.each([
    ['pull_request', pullRequest, { kind: 'pull_request', repositoryId: 3, number: 7 }],
    [
      'issue_comment',
      { repository, issue: { number: 7, pull_request: { url: 'x' } } },
      { kind: 'pull_request', repositoryId: 3, number: 7 },
    ],
    ['issue_comment', { repository, issue: { number: 7 } }, { kind: 'ignored' }],
    [
      'check_run',
      { repository, check_run: { check_suite: { head_branch: 'colophon/x' } } },
      { kind: 'branches', repositoryId: 3, branches: ['colophon/x'] },
    ],
    [
      'check_run',
      { repository, check_run: { check_suite: { head_branch: null } } },
      { kind: 'branches', repositoryId: 3, branches: [] },
    ],
    [
      'status',
      { repository, branches: [{ name: 'a' }, { name: 'b' }] },
      { kind: 'branches', repositoryId: 3, branches: ['a', 'b'] },
    ],
    [
      'deployment_status',
      { repository, deployment: { ref: 'colophon/x' } },
      { kind: 'branches', repositoryId: 3, branches: ['colophon/x'] },
    ],
    [
      'repository',
      { action: 'renamed', repository, installation: { id: 5 } },
      { kind: 'repository', repositoryId: 3, installationId: 5 },
    ],
    [
      'installation',
      { action: 'deleted', installation: { id: 5 } },
      { kind: 'repository', repositoryId: null, installationId: 5 },
    ],
    [
      'installation_repositories',
      { action: 'removed', installation: { id: 5 } },
      { kind: 'repository', repositoryId: null, installationId: 5 },
    ],
    ['ping', { zen: 'x', repository }, { kind: 'ignored' }],
    ['constructor', pullRequest, { kind: 'ignored' }],
    ['pull_request', 'hello', { kind: 'ignored' }],
    ['pull_request', { number: '7' }, { kind: 'ignored' }],
    ['pull_request', { number: 7, repository: { id: 1e300 } }, { kind: 'ignored' }],
  ])('reads what to poll: %s', (event, body, expected) => {
    expect(parseGithubWebhook(delivery(event, body), secret)).toEqual(expected)
  })

  it.each([
    ['another secret', delivery('pull_request', pullRequest), 'other'],
    ['no signature', delivery('pull_request', pullRequest, { 'x-hub-signature-256': undefined }), secret],
    ['an empty signature', delivery('pull_request', pullRequest, { 'x-hub-signature-256': 'sha256=' }), secret],
    ['a SHA-1 signature', delivery('pull_request', pullRequest, { 'x-hub-signature-256': 'sha1=aa' }), secret],
    ['a changed body', { ...delivery('pull_request', pullRequest), body: Buffer.from('{"number":8}') }, secret],
  ])('rejects %s', (_, received, key) => {
    expect(parseGithubWebhook(received, key)).toEqual({ kind: 'not_authentic' })
  })
})
