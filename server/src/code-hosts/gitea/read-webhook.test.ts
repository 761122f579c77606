import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readGiteaWebhook } from './read-webhook.ts'

const secret = 'a secret of this project'
const event = { action: 'closed', number: 7, pull_request: { state: 'closed' }, repository: { id: 3 } }

function delivery(body: unknown, change: Record<string, string | undefined> = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const signature = createHmac('sha256', secret).update(bytes).digest('hex')
  return { headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': signature, ...change }, body: bytes }
}

describe('readGiteaWebhook', () => {
  it('reads where to look', () => {
    const pullRequest = { kind: 'pull_request', repositoryId: 3, number: 7 }
    expect(readGiteaWebhook(delivery(event), secret)).toEqual(pullRequest)
    const comment = { is_pull: true, issue: { number: 7 }, repository: { id: 3 } }
    const asComment = { 'x-gitea-event': 'issue_comment' }
    expect(readGiteaWebhook(delivery(comment, asComment), secret)).toEqual(pullRequest)
    const onIssue = delivery({ ...comment, is_pull: false }, asComment)
    expect(readGiteaWebhook(onIssue, secret)).toEqual({ kind: 'ignored' })
    const deleted = delivery({ action: 'deleted', repository: { id: 3 } }, { 'x-gitea-event': 'repository' })
    expect(readGiteaWebhook(deleted, secret)).toEqual({ kind: 'repository', repositoryId: 3, installationId: null })
  })

  it.each([
    ['another secret', delivery(event), 'other'],
    ['no signature', delivery(event, { 'x-gitea-signature': undefined }), secret],
    ['an empty signature', delivery(event, { 'x-gitea-signature': '' }), secret],
    ['half a signature', delivery(event, { 'x-gitea-signature': 'ab'.repeat(16) }), secret],
    ['not hexadecimal', delivery(event, { 'x-gitea-signature': 'z'.repeat(64) }), secret],
    ['a changed body', { ...delivery(event), body: Buffer.from(JSON.stringify({ ...event, number: 8 })) }, secret],
  ])('refuses %s', (_, given, key) => {
    expect(readGiteaWebhook(given, key)).toEqual({ kind: 'not_authentic' })
  })

  it.each([
    ['another event', delivery(event, { 'x-gitea-event': 'push' })],
    ['no JSON', delivery('hello')],
    ['JSON of another shape', delivery({ number: '7' })],
    ['nothing', delivery('')],
  ])('ignores %s', (_, given) => {
    expect(readGiteaWebhook(given, secret)).toEqual({ kind: 'ignored' })
  })
})
