import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { SafeMarkdown } from './safe-markdown.tsx'

const rendered = (text: string) =>
  renderToStaticMarkup(createElement(MantineProvider, null, createElement(SafeMarkdown, { text })))
    .replace(/<style[\s\S]*?<\/style>/g, '') // Mantine's own
    .replace(/<script[\s\S]*?<\/script>/, '')

test('renders Markdown', () => {
  expect(rendered('# One\n\n**two** `three`\n\n- four')).toMatch(
    /<h4>One<\/h4>\s*<p><strong>two<\/strong> <code>three<\/code><\/p>\s*<ul>\s*<li>four<\/li>/,
  )
})

test('shows HTML as text', () => {
  const html = rendered(
    '<img src=x onerror=alert(1)> and\n\n<script>alert(1)</script>\n\n<iframe src="//evil"></iframe>',
  )
  expect(html).not.toMatch(/<(img|script|iframe)/)
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

test('names images, including those by reference, and does not load them', () => {
  const html = rendered('![a chart](https://evil.example/?stolen=1)\n\n![][ref]\n\n[ref]: https://evil.example/2')
  expect(html).not.toMatch(/<img|evil/)
  expect(html).toContain('[image: a chart]')
  expect(html).toContain('[image]')
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java&#10;script:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  '//evil.example',
  '/projects',
  'page.md',
  '#top',
])('does not link to %s', (to) => {
  const html = rendered(`[text](<${to}>)`)
  expect(html).toContain('text')
  expect(html).not.toContain('href')
})

test.each(['https://example.com/a', 'http://example.com', 'mailto:docs@example.com'])('links to %s', (to) => {
  const html = rendered(`[text](${to})`)
  expect(html).toContain(`href="${to}"`)
  expect(html).toContain('rel="noopener noreferrer nofollow"')
  expect(html).toContain('target="_blank"')
})
