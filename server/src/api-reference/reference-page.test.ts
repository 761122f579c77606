import { expect, test } from 'vitest'
import { problemDefinitions } from '../platform/http/problem.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { renderReferencePage } from './reference-page.ts'
import { referenceStylesheet } from './reference-stylesheet.ts'
import { sampleDocument } from './testing/sample-document.ts'

const page = renderReferencePage(sampleDocument)
const minimal: OpenApiDocument = { openapi: '3.1.0', info: { title: 'Minimal', version: '0' } }

interface Tag {
  name: string
  attributes: ReadonlyMap<string, string>
}

/** Parses the page strictly: throws on anything but complete tags, closed elements and escaped text. */
function tagsOf(text: string): Tag[] {
  const open: string[] = []
  const tags: Tag[] = []
  const voidElements = new Set(['meta', 'link', 'wbr', 'path'])
  for (const [piece] of text.replace('<!doctype html>', '').matchAll(/<[^>]*>|[^<]+/g)) {
    const closing = piece.match(/^<\/([a-z0-9]+)>$/)
    const opening = piece.match(/^<([a-z0-9]+)((?: [a-zA-Z-]+="[^"<]*")*)\/?>$/)
    if (closing) expect(open.pop()).toBe(closing[1])
    else if (opening) {
      const [, name = '', attributes = ''] = opening
      if (!voidElements.has(name)) open.push(name)
      const pairs = attributes.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)
      tags.push({ name, attributes: new Map([...pairs].map(([, key = '', value = '']) => [key, value])) })
    } else if (/[<>"']/.test(piece)) throw new Error(`not escaped: ${piece}`)
  }
  expect(open).toEqual([])
  return tags
}

const valuesOf = (tags: readonly Tag[], attribute: string) =>
  tags.flatMap(({ attributes }) => attributes.get(attribute) ?? [])

/** Appends an attack to every string and every name of the document. */
function poisoned(value: unknown, parent = ''): unknown {
  const attack = (text: string) => `${text}\`"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`
  const namedByUs = ['properties', 'schemas', 'securitySchemes', 'content', 'headers', 'paths', 'responses']
  if (typeof value === 'string') return attack(value)
  if (Array.isArray(value)) return value.map((item) => poisoned(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [namedByUs.includes(parent) ? attack(key) : key, poisoned(inner, key)]),
  )
}

for (const [what, text] of [
  ['the sample', page],
  ['an empty document', renderReferencePage(minimal)],
  ['a document full of attacks', renderReferencePage(poisoned(sampleDocument) as OpenApiDocument)],
] as const) {
  test(`${what}: well-formed HTML without broken links`, () => {
    const tags = tagsOf(text)
    const ids = valuesOf(tags, 'id')
    expect(new Set(ids).size).toBe(ids.length)
    for (const link of valuesOf(tags, 'href').filter((href) => href.startsWith('#')))
      expect(ids).toContain(link.slice(1))
    for (const label of valuesOf(tags, 'aria-labelledby')) expect(ids).toContain(label)
  })

  test(`${what}: nothing that a strict Content-Security-Policy blocks`, () => {
    const tags = tagsOf(text)
    expect(tags.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['script']))
    for (const { name, attributes } of tags) {
      expect(['script', 'style', 'img', 'iframe', 'form', 'base', 'object']).not.toContain(name)
      for (const key of attributes.keys()) expect(key).not.toMatch(/^(on|style$|src)/)
    }
    for (const href of valuesOf(tags, 'href')) expect(href).toMatch(/^(#|\/(?!\/))/)
  })
}

test('the stylesheet requests no resources', () => {
  expect(referenceStylesheet).not.toMatch(/url\(|@import|@font-face/)
})

/** The visible text of a section. */
function textOf(anchor: string): string {
  const from = page.indexOf(`id="${anchor}"`)
  expect(from).toBeGreaterThan(0)
  const rest = page.slice(from + `id="${anchor}">`.length)
  return rest
    .slice(0, rest.indexOf('</section>'))
    .replace(/<[^>]+>/g, '')
    .replace(/&(quot|#39);/g, (_, name) => (name === 'quot' ? '"' : "'"))
    .replace(/\s+/g, ' ')
    .trim()
}

test('shows the access, parameters, request body and responses of an operation', () => {
  const text = textOf('operation-createJob')
  for (const expected of [
    'Start a job POST /v2/agent/{projectId}/job',
    'Access An API key with the scope agent:write, or a member who is signed in and whose role includes it',
    'At most 100 jobs per project per hour.',
    'projectId path string at most 100 characters required',
    'idempotency-key header string at most 255 characters optional',
    'prompt string 1 to 50,000 characters required Task for the agent.',
    'publish pull_request or diff default pull_request optional diff pushes nothing.',
    '201 Created The job was created.',
    'Location header string required URL of the job.',
    'X-Request-Id header string optional ID of the request.',
    'application/json AgentJob',
    '403 Forbidden insufficient_scope, ip_not_allowed',
    'curl "$COLOPHON_URL/v2/agent/{projectId}/job" \\ -H "Authorization: Bearer $COLOPHON_API_KEY"',
  ]) {
    expect(text).toContain(expected)
  }
  expect(textOf('operation-getMe')).toContain('Access Any valid API key')
  expect(textOf('operation-collectView')).toContain('Access Public, no authentication')
  expect(textOf('operation-cancelJob')).toContain('Deprecated')
})

test('shows the fields of inline objects as rows, and links named schemas', () => {
  expect(textOf('operation-listViews')).toContain('views[].path string required')
  expect(textOf('schema-AgentJob')).toContain('source.repository string required')
  expect(textOf('schema-AgentJob')).toContain('parent AgentJob or null required')
  expect(textOf('schema-Me')).toContain('expiresAt string (date-time) or null required Time at which the key expires.')
  expect(textOf('schema-Scope')).toContain('agent:read or agent:write')
})

test('shows the example of a response', () => {
  expect(textOf('operation-getMe')).toContain('Example { "projectId": "prj_01m7ehrhx0fk5b0axvny9mpndf",')
})

test('lists the error codes with status and meaning, and links the pages that explain them', () => {
  const { meaning } = problemDefinitions.insufficient_scope
  expect(textOf('errors')).toContain(`insufficient_scope403${meaning}`)
  expect(page).toContain('href="/errors/insufficient_scope"')
  expect(renderReferencePage(minimal)).not.toContain('id="errors"')
})

test('groups operations by tag in the order of the document, with untagged ones last', () => {
  const document: OpenApiDocument = {
    ...minimal,
    tags: [{ name: 'Second' }, { name: 'Unused' }, { name: 'First' }],
    paths: { '/a': { get: {} }, '/b': { get: { tags: ['First'] } }, '/c': { get: { tags: ['Second'] } } },
  }
  const groups = valuesOf(tagsOf(renderReferencePage(document)), 'id').filter((id) => id.startsWith('group-'))
  expect(groups).toEqual(['group-Second', 'group-First', 'group-Other'])
})

test('derives the access from the security requirements if the document has no x-colophon-access', () => {
  const pageWith = (security: Record<string, string[]>[]) =>
    renderReferencePage({ ...minimal, paths: { '/a': { get: { security } } } })
  expect(pageWith([])).toContain('Public, no authentication')
  expect(pageWith([{ apiKey: [] }, {}])).toContain('Public, no authentication')
  expect(pageWith([{ apiKey: [] }])).toContain('Any valid API key')
  expect(pageWith([{ apiKey: ['jobs'] }])).toContain('An API key with the scope <code>jobs</code>')
})
