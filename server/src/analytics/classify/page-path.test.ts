import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuMillisecondsOf } from '../../platform/testing/cpu-milliseconds.ts'
import { maxPathCharacters, parsePagePath } from './page-path.ts'

test.each([
  ['/', '/', 'html'],
  ['/index', '/', 'html'],
  ['/index.html', '/', 'html'],
  ['/docs', '/docs', 'html'],
  ['/docs/', '/docs', 'html'],
  ['/docs//', '/docs', 'html'],
  ['/docs/index', '/docs', 'html'],
  ['/docs/index/', '/docs', 'html'],
  ['/docs/index.html', '/docs', 'html'],
  ['/docs/index.md', '/docs', 'markdown'],
  ['/docs/start.html', '/docs/start', 'html'],
  ['/docs/start.md', '/docs/start', 'markdown'],
  ['/docs/start.mdx', '/docs/start', 'mdx'],
  ['/docs/start.html.md', '/docs/start', 'markdown'],
  ['/docs/start.md?ref=llms', '/docs/start', 'markdown'],
  ['/docs/start?from=/other.md', '/docs/start', 'html'],
  ['/docs/start#part.md', '/docs/start', 'html'],
  ['/docs/Start', '/docs/Start', 'html'],
  ['/docs/reindex', '/docs/reindex', 'html'],
  ['/docs/%C3%BCber%20uns', '/docs/über uns', 'html'],
  ['/docs/%2541', '/docs/%41', 'html'],
  ['/docs/100%', '/docs/100%', 'html'],
  ['/docs/%FF', '/docs/%FF', 'html'],
  ['/docs/%C3%BC%', '/docs/ü%', 'html'],
  ['/docs/a%3Fb%23c', '/docs/a?b#c', 'html'],
  ['/docs/a%0Ab', '/docs/a%0Ab', 'html'],
  ['/docs/a\u202eb', '/docs/a%E2%80%AEb', 'html'],
  ['/docs/a\ud800b', '/docs/a\ufffdb', 'html'],
  ['/docs/1.2', '/docs/1.2', 'html'],
  ['/docs/v1.2.3/', '/docs/v1.2.3', 'html'],
  ['/docs/2.x', '/docs/2.x', 'html'],
  ['/docs/1.0.0-rc.1', '/docs/1.0.0-rc.1', 'html'],
  ['/.well-known/traffic-advice', '/.well-known/traffic-advice', 'html'],
  ['/llms.txt', '/llms.txt', 'llms'],
  ['/docs/llms-full.txt?x', '/docs/llms-full.txt', 'llms'],
])('%s is the page %s, as %s', (target, path, surface) => {
  expect(parsePagePath(target)).toEqual({ path, surface })
})

test.each([
  ['/robots.txt', 'not_a_page'],
  ['/logo.png', 'not_a_page'],
  ['/fonts/a.woff2', 'not_a_page'],
  ['/site.webmanifest', 'not_a_page'],
  ['/logo.png.md', 'not_a_page'],
  ['/notllms.txt', 'not_a_page'],
  ['', 'invalid_path'],
  ['docs', 'invalid_path'],
  ['https://docs.example.com/start', 'invalid_path'],
  ['*', 'invalid_path'],
  [`/${'a'.repeat(maxPathCharacters)}`, 'path_too_long'],
  [`/${'%61'.repeat(10 * maxPathCharacters)}`, 'path_too_long'],
])('%s is not a page: %s', (target, reason) => {
  expect(parsePagePath(target)).toBe(reason)
})

const piece = fc.oneof(
  fc.constantFrom(
    '/',
    '%',
    '%2',
    '%25',
    '%41',
    '%0a',
    '%00',
    '%ff',
    '%e2%80%a8',
    '.',
    '.md',
    '.mdx',
    '.html',
    '?',
    '#',
  ),
  fc.constantFrom(
    'index',
    'llms.txt',
    'llms-full.txt',
    '.png',
    '1.2',
    '2.x',
    ' ',
    '\n',
    '\u0000',
    '\u202e',
    '\ud800',
    'ü',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const target = fc.array(piece, { maxLength: 20 }).map((pieces) => `/${pieces.join('')}`)
const runs = { numRuns: 5_000 }

test('returns for any input a well-formed, bounded path from the root, without control characters and page endings', () => {
  fc.assert(
    fc.property(fc.oneof(target, fc.string({ unit: 'binary' })), (text) => {
      const page = parsePagePath(text)
      if (typeof page === 'string') return
      expect(page.path).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(page.path.isWellFormed()).toBe(true)
      expect(page.path.length).toBeLessThanOrEqual(maxPathCharacters)
      expect(page.path).toMatch(/^\//)
      if (page.path !== '/') expect(page.path).not.toMatch(/(?:\/|\/index|\.html|\.mdx?)$/)
    }),
    runs,
  )
})

test('maps the path of a page to the same page', () => {
  fc.assert(
    fc.property(target, (text) => {
      const page = parsePagePath(text)
      if (typeof page === 'string') return
      const encoded = page.path.split('/').map(encodeURIComponent).join('/')
      expect(parsePagePath(encoded)).toMatchObject({ path: page.path })
      if (!/[%?#]/.test(page.path)) expect(parsePagePath(page.path)).toMatchObject({ path: page.path })
    }),
    runs,
  )
})

test('parses a long path of endings in linear time', () => {
  const cpuMilliseconds = cpuMillisecondsOf(() => {
    for (let count = 0; count < 100; count++) parsePagePath(`/${'.md'.repeat(3_000)}x`)
    for (let count = 0; count < 100; count++) parsePagePath(`/${'.md'.repeat(3_000)}`)
  })
  expect(cpuMilliseconds).toBeLessThan(1_000)
})
