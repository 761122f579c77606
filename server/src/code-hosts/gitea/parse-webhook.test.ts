import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseGiteaWebhook } from './parse-webhook.ts'

const secret = 'a secret of this project'
const event = { action: 'closed', number: 7, pull_request: { state: 'closed' }, repository: { id: 3 } }

function delivery(body: unknown, headers: Record<string, string | undefined> = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const signature = createHmac('sha256', secret).update(bytes).digest('hex')
  return { headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': signature, ...headers }, body: bytes }
}

describe('parseGiteaWebhook', () => {
  it('reads what to poll', () => {
    const pullRequest = { kind: 'pull_request', repositoryId: 3, number: 7 }
    expect(parseGiteaWebhook(delivery(event), secret)).toEqual(pullRequest)
    const comment = { is_pull: true, issue: { number: 7 }, repository: { id: 3 } }
    const commentHeaders = { 'x-gitea-event': 'issue_comment' }
    expect(parseGiteaWebhook(delivery(comment, commentHeaders), secret)).toEqual(pullRequest)
    const onIssue = delivery({ ...comment, is_pull: false }, commentHeaders)
    expect(parseGiteaWebhook(onIssue, secret)).toEqual({ kind: 'ignored' })
    const deleted = delivery({ action: 'deleted', repository: { id: 3 } }, { 'x-gitea-event': 'repository' })
    expect(parseGiteaWebhook(deleted, secret)).toEqual({ kind: 'repository', repositoryId: 3, installationId: null })
  })

  it.each([
    ['another secret', delivery(event), 'other'],
    ['no signature', delivery(event, { 'x-gitea-signature': undefined }), secret],
    ['an empty signature', delivery(event, { 'x-gitea-signature': '' }), secret],
    ['half a signature', delivery(event, { 'x-gitea-signature': 'ab'.repeat(16) }), secret],
    ['a signature that is not hexadecimal', delivery(event, { 'x-gitea-signature': 'z'.repeat(64) }), secret],
    ['a changed body', { ...delivery(event), body: Buffer.from(JSON.stringify({ ...event, number: 8 })) }, secret],
  ])('rejects %s', (_, received, key) => {
    expect(parseGiteaWebhook(received, key)).toEqual({ kind: 'not_authentic' })
  })

  it.each([
    ['another event', delivery(event, { 'x-gitea-event': 'push' })],
    ['a body that is not JSON', delivery('hello')],
    ['JSON with another schema', delivery({ number: '7' })],
    ['an empty body', delivery('')],
  ])('ignores %s', (_, received) => {
    expect(parseGiteaWebhook(received, secret)).toEqual({ kind: 'ignored' })
  })
})
