import { expect, test } from 'vitest'
import { loadClientDetector } from './client-detector.ts'
import { readClientList } from './client-list.ts'
import { reduceUserAgent } from './reduce-user-agent.ts'

const detector = loadClientDetector()
const detect = (userAgent: string) => detector.detect({ userAgent, acceptsMarkdown: false, surface: 'html' })

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.7390.55 Safari/537.36',
    'Mozilla/5.0 (Windows) Gecko/0 Chrome/141',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.3537.57',
    'Mozilla/5.0 (Windows) Gecko/0 Edge/141',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
    'Mozilla/5.0 (macOS) Gecko/0 Safari/18',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (iOS) Gecko/0 Safari/18',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Mozilla/5.0 (Linux) Gecko/0 Firefox/150'],
  [`Mozilla/5.0 (${'invented'.repeat(100)}) Gecko/12345 Invented/67.8`, 'Mozilla/5.0 (Other) Gecko/0'],
  ['Lynx/2.9.2 libwww-FM/2.14', 'Mozilla/5.0 (Other) Gecko/0'],
])('reduces a browser to its name, its major version and its system: %s', (userAgent, reduced) => {
  expect(detect(userAgent).class).toBe('human')
  expect(reduceUserAgent(userAgent, 'human')).toBe(reduced)
  expect(detect(reduced)).toMatchObject({ class: 'human', name: 'browser' })
})

const examples = readClientList().clients.flatMap(({ name, match, exampleUserAgent }) => [
  { name, userAgent: exampleUserAgent ?? match },
])

test.each(examples)('classifies the reduced user agent of $name like the original', ({ userAgent }) => {
  const original = detect(userAgent)
  expect(detect(reduceUserAgent(userAgent, original.class))).toEqual(original)
})

test('a user agent that nobody would send takes no time', () => {
  const userAgents = ['1'.repeat(1_000), '1.'.repeat(500), `${'Version/1'.repeat(100)} x`]
  const startedAt = performance.now()
  for (let round = 0; round < 500; round++)
    for (const userAgent of userAgents) {
      reduceUserAgent(userAgent, 'human')
      reduceUserAgent(userAgent, 'other-bot')
    }
  expect(performance.now() - startedAt).toBeLessThan(300) // 700 ms with a quadratic pattern
})
