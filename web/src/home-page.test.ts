import { createClient } from '@colophon/sdk'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { HomePage } from './home-page.tsx'

test('says what Colophon is, and leads to the API', () => {
  const client = createClient({ baseUrl: 'http://colophon.test' })
  const html = renderToStaticMarkup(createElement(HomePage, { client }))
  expect(html).toContain('A backend for docs that live in git')
  expect(html).toContain('href="/reference"')
  expect(html).toContain('href="/openapi.json"')
})
