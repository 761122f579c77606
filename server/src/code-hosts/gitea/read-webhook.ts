import { createHmac, timingSafeEqual } from 'node:crypto'
import Value from 'typebox/value'
import type { ReadWebhook } from '../code-host.ts'
import { GiteaPullRequestEvent } from './gitea-answers.ts'

export const readGiteaWebhook: ReadWebhook = ({ headers, body }, secret) => {
  const signature = headers['x-gitea-signature']
  if (typeof signature !== 'string' || !isSignedWith(secret, body, signature)) return { kind: 'not_authentic' }
  if (headers['x-gitea-event'] !== 'pull_request') return { kind: 'ignored' }

  const event = parseJson(body)
  if (!Value.Check(GiteaPullRequestEvent, event)) return { kind: 'ignored' }
  const { number, pull_request: pullRequest, repository } = event
  return {
    kind: 'pull_request',
    repository: repository.full_name,
    number,
    state: pullRequest.merged ? 'merged' : pullRequest.state,
    branch: pullRequest.head.ref,
  }
}

function isSignedWith(secret: string, body: Uint8Array, signature: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}
