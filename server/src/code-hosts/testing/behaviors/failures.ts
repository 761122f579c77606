import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Egress } from '../../../platform/egress/egress.ts'
import { catchCodeHostError, createInterceptingEgress, type HostBehavior } from './behavior.ts'

const isBranch = ({ url }: { url: string }) => /\/git\/refs?\/heads\//.test(url)

/** The response of a host when a branch is read, and the expected error. */
const responses: readonly [string, () => Response, object][] = [
  [
    'a server error can be retried',
    () => new Response('', { status: 503 }),
    { kind: 'retry', code: 'server_error', retryAfterSeconds: undefined },
  ],
  [
    'a rate limit can be retried after the time in Retry-After',
    () => new Response('', { status: 429, headers: { 'retry-after': '7' } }),
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 7 },
  ],
  [
    'a 403 with Retry-After is a rate limit',
    () => new Response('', { status: 403, headers: { 'retry-after': '60' } }),
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 60 },
  ],
  [
    'a 403 with a rate limit message is a rate limit',
    () => Response.json({ message: 'You have exceeded a secondary rate limit.' }, { status: 403 }),
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 60 },
  ],
  [
    'a 403 without remaining requests is a rate limit until the reset time',
    () => {
      const reset = String(Math.floor(Date.now() / 1000) + 86_400)
      return new Response('', { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } })
    },
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 3600 },
  ],
  [
    'any other 403 is final',
    () => Response.json({ message: 'No.' }, { status: 403 }),
    { kind: 'final', code: 'forbidden' },
  ],
  [
    'a response that does not match the schema can be retried',
    () => Response.json({ hello: 'world' }),
    { kind: 'retry', code: 'unexpected_response' },
  ],
]

export const failureBehaviors: readonly HostBehavior[] = [
  ...responses.map(
    ([name, response, expected]): HostBehavior => ({
      name,
      async run({ repository }) {
        const host = repository.hostWithChanges({}, createInterceptingEgress(repository.egress, isBranch, response))
        deepEqual((await catchCodeHostError(host.branchHead('main'))).failure, expected)
      },
    }),
  ),
  {
    name: 'no message contains the token, even if the host repeats it',
    async run({ repository }) {
      let sent = ''
      const repeating: Egress = {
        ...repository.egress,
        async fetch(url, request) {
          const headers = new Headers(request?.headers)
          const [, token = ''] = (headers.get('authorization') ?? '').split(' ')
          if (!isBranch({ url: String(url) })) return await repository.egress.fetch(url, request)
          sent = token
          return Response.json({ message: `No, ${token}!` }, { status: 403 })
        },
      }
      const { failure, message } = await catchCodeHostError(
        repository.hostWithChanges({}, repeating).branchHead('main'),
      )
      equal(failure.code, 'forbidden')
      ok(sent !== '' && !message.includes(sent))
    },
  },
]
