import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readGiteaWebhook } from './read-webhook.ts'

const secret = 'a secret of this project'
const event = {
  action: 'closed',
  number: 7,
  pull_request: { state: 'closed', merged: true, head: { ref: 'colophon/job_1' }, title: 'x' },
  repository: { full_name: 'owner/name' },
}

function delivery(body: unknown, change: Record<string, string | undefined> = {}) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const signature = createHmac('sha256', secret).update(bytes).digest('hex')
  return { headers: { 'x-gitea-event': 'pull_request', 'x-gitea-signature': signature, ...change }, body: bytes }
}

describe('readGiteaWebhook', () => {
  it('reads which pull request to look at', () => {
    const expected = {
      kind: 'pull_request',
      repository: 'owner/name',
      number: 7,
      state: 'merged',
      branch: 'colophon/job_1',
    }
    expect(readGiteaWebhook(delivery(event), secret)).toEqual(expected)
    const open = { ...event, pull_request: { ...event.pull_request, state: 'open', merged: false } }
    expect(readGiteaWebhook(delivery(open), secret)).toEqual({ ...expected, state: 'open' })
    const closed = { ...event, pull_request: { ...event.pull_request, merged: false } }
    expect(readGiteaWebhook(delivery(closed), secret)).toEqual({ ...expected, state: 'closed' })
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
