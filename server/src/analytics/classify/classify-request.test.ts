import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cpuMillisecondsOf } from '../../platform/testing/cpu-milliseconds.ts'
import { classifyRequest, type SiteRequest } from './classify-request.ts'
import type { ClientClass } from './client-class.ts'
import { loadClientDetector } from './client-detector.ts'
import { readClientList } from './client-list.ts'
import { parsePagePath } from './page-path.ts'

interface LabeledCase {
  userAgent: string
  accept: string
  path: string
  expected: ClientClass
  why: string
}

const cases = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testing/ai-client-cases.json'), 'utf8'),
) as LabeledCase[]
const clientDetector = loadClientDetector()
const countedByServers = { clientDetector, humanSource: 'servers' } as const

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36'
const pageRequest: SiteRequest = {
  userAgent: chrome,
  method: 'GET',
  status: 200,
  path: '/docs/start',
  accept: 'text/html',
  prefetch: false,
  source: 'servers',
}

test.each(cases)('$expected: $why', ({ userAgent, accept, path, expected }) => {
  const classified = classifyRequest({ ...pageRequest, userAgent, accept, path }, countedByServers)
  if (typeof parsePagePath(path) === 'string') {
    expect(classified).toMatchObject({ counted: false })
    const acceptsMarkdown = accept.includes('text/markdown')
    const client = clientDetector.detect({ userAgent, acceptsMarkdown, surface: 'html' })
    expect(client.class).toBe(expected)
  } else {
    expect(classified).toMatchObject({ counted: true, class: expected })
  }
})

test('classifies the example of every listed client correctly, by its own entry or an earlier one', () => {
  for (const listed of readClientList().clients) {
    if (listed.exampleUserAgent === null || listed.generic) continue
    const classified = classifyRequest({ ...pageRequest, userAgent: listed.exampleUserAgent }, countedByServers)
    expect(classified, listed.name).toMatchObject({ counted: true, rule: 'listed', class: listed.class })
  }
})

test.each<[Partial<SiteRequest>, string]>([
  [{ method: 'HEAD' }, 'not_get'],
  [{ method: 'POST' }, 'not_get'],
  [{ status: 404 }, 'not_successful'],
  [{ status: 301 }, 'not_successful'],
  [{ status: 206 }, 'not_successful'],
  [{ prefetch: true }, 'prefetch'],
  [{ path: '/logo.svg' }, 'not_a_page'],
  [{ path: 'logo' }, 'invalid_path'],
  [{ path: `/${'x'.repeat(2_000)}` }, 'path_too_long'],
  [{ source: 'script' }, 'counted_elsewhere'],
  [{ source: 'script', userAgent: 'GPTBot/1.0' }, 'counted_elsewhere'],
])('drops %j: %s', (overrides, reason) => {
  expect(classifyRequest({ ...pageRequest, ...overrides }, countedByServers)).toEqual({ counted: false, reason })
})

test('counts humans only from the script and all other clients only from servers if the project says so', () => {
  const countedByScript = { clientDetector, humanSource: 'script' } as const
  const isCounted = (overrides: Partial<SiteRequest>) =>
    classifyRequest({ ...pageRequest, ...overrides }, countedByScript).counted
  expect(isCounted({ source: 'script' })).toBe(true)
  expect(isCounted({ source: 'servers' })).toBe(false)
  expect(isCounted({ source: 'script', userAgent: 'GPTBot/1.0' })).toBe(false)
  expect(isCounted({ source: 'servers', userAgent: 'GPTBot/1.0' })).toBe(true)
})

test('counts 304 Not Modified as a view', () => {
  expect(classifyRequest({ ...pageRequest, status: 304 }, countedByServers)).toMatchObject({ counted: true })
})

test.each(['text/markdown', 'text/html, Text/Markdown;q=0.1', 'text/html;q=1,text/x-markdown', 'text/markdown ; q=1'])(
  'recognizes a request for Markdown in Accept: %s',
  (accept) => {
    expect(classifyRequest({ ...pageRequest, accept }, countedByServers)).toMatchObject({
      class: 'assistant',
      rule: 'accepts_markdown',
    })
  },
)

test.each(['text/markdownish', 'application/text/markdown', 'text/html;profile=text/markdown', '*/*', ''])(
  'sees no request for Markdown in Accept: %s',
  (accept) => {
    expect(classifyRequest({ ...pageRequest, accept }, countedByServers)).toMatchObject({
      class: 'human',
      acceptsMarkdown: false,
    })
  },
)

test('truncates a user agent of one megabyte without scanning all of it', () => {
  const request = { ...pageRequest, userAgent: 'x'.repeat(2 ** 20), accept: ','.repeat(2 ** 20) }
  const cpuMilliseconds = cpuMillisecondsOf(() => {
    const classified = classifyRequest(request, countedByServers)
    expect(classified.counted && classified.userAgent.length).toBe(200)
  })
  expect(cpuMilliseconds).toBeLessThan(100)
})

// Test machines have two busy cores, so the threshold is far below the 600,000 per second that an idle core reaches.
test('classifies at least 200,000 requests per second of CPU time', () => {
  const requests = cases.map(({ userAgent, accept, path }) => ({ ...pageRequest, userAgent, accept, path }))
  const rounds = 500
  const bestOfThree = Math.max(
    ...Array.from({ length: 3 }, () => {
      const cpuMilliseconds = cpuMillisecondsOf(() => {
        for (let round = 0; round < rounds; round++)
          for (const request of requests) classifyRequest(request, countedByServers)
      })
      return (rounds * requests.length) / (cpuMilliseconds / 1000)
    }),
  )
  console.log(`${Math.round(bestOfThree).toLocaleString('en')} classifications/s`)
  expect(bestOfThree).toBeGreaterThan(200_000)
})
