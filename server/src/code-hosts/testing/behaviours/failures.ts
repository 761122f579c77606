import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Egress } from '../../../platform/egress/egress.ts'
import { answering, failureOf, type HostBehaviour } from './behaviour.ts'

const isBranch = ({ url }: { url: string }) => /\/branches\/|\/git\/ref\//.test(url)

/** What a host answers to a look at a branch, and how that is taken. */
const responses: readonly [string, () => Response, object][] = [
  [
    'a host that fails is asked again later',
    () => new Response('', { status: 503 }),
    { kind: 'retry', code: 'server_error', retryAfterSeconds: undefined },
  ],
  [
    'a host that is asked too often is asked again when it says',
    () => new Response('', { status: 429, headers: { 'retry-after': '7' } }),
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 7 },
  ],
  [
    'a refusal that says when to come again is a limit',
    () => new Response('', { status: 403, headers: { 'retry-after': '60' } }),
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 60 },
  ],
  [
    'a refusal in words of a limit is one',
    () => Response.json({ message: 'You have exceeded a secondary rate limit.' }, { status: 403 }),
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 60 },
  ],
  [
    'a refusal of somebody who has no calls left is a limit, until they are given new ones',
    () => {
      const reset = String(Math.floor(Date.now() / 1000) + 86_400)
      return new Response('', { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } })
    },
    { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 3600 },
  ],
  [
    'a refusal is believed',
    () => Response.json({ message: 'No.' }, { status: 403 }),
    { kind: 'final', code: 'forbidden' },
  ],
  [
    'an answer that is not what the host answers is asked for again',
    () => Response.json({ hello: 'world' }),
    { kind: 'retry', code: 'unexpected_response' },
  ],
]

export const failures: readonly HostBehaviour[] = [
  ...responses.map(
    ([name, response, expected]): HostBehaviour => ({
      name,
      async play({ repository }) {
        const host = repository.hostAt({}, answering(repository.egress, isBranch, response))
        deepEqual((await failureOf(host.branchHead('main'))).failure, expected)
      },
    }),
  ),
  {
    name: 'a token is in no message, though the host repeats it',
    async play({ repository }) {
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
      const { failure, message } = await failureOf(repository.hostAt({}, repeating).branchHead('main'))
      equal(failure.code, 'forbidden')
      ok(sent !== '' && !message.includes(sent))
    },
  },
]
