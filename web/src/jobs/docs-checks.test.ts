import type { AgentJob } from '@colophon/sdk'
import { MantineProvider } from '@mantine/core'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { DocsChecks } from './docs-checks.tsx'

const render = (checks: AgentJob['checks']) =>
  renderToStaticMarkup(createElement(MantineProvider, null, createElement(DocsChecks, { checks })))

test('shows a docs check that could not check any page neutrally, with the reason', () => {
  const html = render([{ name: 'Internal links', status: 'not_checked', findings: ['Not checked: a.rst.'] }])
  expect(html).toContain('Internal links: not checked')
  expect(html).toContain('Not checked: a.rst.')
  expect(html).not.toMatch(/var\(--(good|bad)\)/)
})

test('shows the findings of a docs check, and the pages that it left out', () => {
  const html = render([
    { name: 'Page syntax', status: 'passed', findings: [], note: 'Not checked: b.rst.' },
    { name: 'Front matter', status: 'failed', findings: ['a.md: front matter: bad'] },
  ])
  expect(html).toContain('Page syntax: passed')
  expect(html).toContain('Not checked: b.rst.')
  expect(html).toContain('Front matter: failed')
  expect(html).toContain('a.md: front matter: bad')
})
