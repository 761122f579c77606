import { expect, test } from 'vitest'
import { problemCodes } from '../../platform/http/problem.ts'
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

/** Reads the page as strictly as we write it: whatever is not a whole tag, a closed element or escaped text throws. */
function tagsOf(text: string): Tag[] {
  const open: string[] = []
  const found: Tag[] = []
  const never = new Set(['meta', 'link', 'wbr', 'path'])
  for (const [piece] of text.replace('<!doctype html>', '').matchAll(/<[^>]*>|[^<]+/g)) {
    const closing = piece.match(/^<\/([a-z0-9]+)>$/)
    const opening = piece.match(/^<([a-z0-9]+)((?: [a-zA-Z-]+="[^"<]*")*)\/?>$/)
    if (closing) expect(open.pop()).toBe(closing[1])
    else if (opening) {
      const [, name = '', attributes = ''] = opening
      if (!never.has(name)) open.push(name)
      const pairs = attributes.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)
      found.push({ name, attributes: new Map([...pairs].map(([, key = '', value = '']) => [key, value])) })
    } else if (/[<>"']/.test(piece)) throw new Error(`not escaped: ${piece}`)
  }
  expect(open).toEqual([])
  return found
}

const valuesOf = (tags: readonly Tag[], attribute: string) =>
  tags.flatMap(({ attributes }) => attributes.get(attribute) ?? [])

/** Every text and every name of the document, made into an attack. */
function poisoned(value: unknown, parent = ''): unknown {
  const attack = (text: string) => `${text}\`"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`
  const open = ['properties', 'schemas', 'securitySchemes', 'content', 'headers', 'paths', 'responses']
  if (typeof value === 'string') return attack(value)
  if (Array.isArray(value)) return value.map((item) => poisoned(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [open.includes(parent) ? attack(key) : key, poisoned(inner, key)]),
  )
}

for (const [what, text] of [
  ['the sample', page],
  ['a document with nothing in it', renderReferencePage(minimal)],
  ['a document whose every word is an attack', renderReferencePage(poisoned(sampleDocument) as OpenApiDocument)],
] as const) {
  test(`${what}: whole HTML, whose links lead somewhere`, () => {
    const tags = tagsOf(text)
    const ids = valuesOf(tags, 'id')
    expect(new Set(ids).size).toBe(ids.length)
    for (const link of valuesOf(tags, 'href').filter((href) => href.startsWith('#')))
      expect(ids).toContain(link.slice(1))
    for (const label of valuesOf(tags, 'aria-labelledby')) expect(ids).toContain(label)
  })

  test(`${what}: nothing that a strict Content-Security-Policy refuses`, () => {
    const tags = tagsOf(text)
    expect(tags.map(({ name }) => name)).not.toEqual(expect.arrayContaining(['script']))
    for (const { name, attributes } of tags) {
      expect(['script', 'style', 'img', 'iframe', 'form', 'base', 'object']).not.toContain(name)
      for (const key of attributes.keys()) expect(key).not.toMatch(/^(on|style$|src)/)
    }
    for (const href of valuesOf(tags, 'href')) expect(href).toMatch(/^(#|\/(?!\/))/)
  })
}

test('the stylesheet asks nobody for anything', () => {
  expect(referenceStylesheet).not.toMatch(/url\(|@import|@font-face/)
})

/** What a reader sees of a section. */
function textOf(anchor: string): string {
  const from = page.indexOf(`id="${anchor}"`)
  expect(from).toBeGreaterThan(0)
  const inside = page.slice(from + `id="${anchor}">`.length)
  return inside
    .slice(0, inside.indexOf('</section>'))
    .replace(/<[^>]+>/g, '')
    .replace(/&(quot|#39);/g, (_, name) => (name === 'quot' ? '"' : "'"))
    .replace(/\s+/g, ' ')
    .trim()
}

test('an operation says what it does, who may call it, what it takes and what it answers', () => {
  const text = textOf('operation-createJob')
  for (const words of [
    'Start a job POST /v2/agent/{projectId}/job',
    'Who may call it An API key with agent:write',
    'At most 100 jobs per project and hour.',
    'projectId path string at most 100 characters required',
    'idempotency-key header string at most 255 characters optional',
    'prompt string 1 to 50,000 characters required What is to be done.',
    'publish pull_request or diff default pull_request optional With diff nothing is pushed',
    '201 Created The job was created and will run.',
    'Location header string required Where the job is.',
    'application/json AgentJob',
    '403 Forbidden insufficient_scope, ip_not_allowed',
    'curl "$COLOPHON_URL/v2/agent/{projectId}/job" \\ -H "Authorization: Bearer $COLOPHON_API_KEY"',
  ]) {
    expect(text).toContain(words)
  }
  expect(textOf('operation-getMe')).toContain('Who may call it Any valid API key')
  expect(textOf('operation-collectView')).toContain('Who may call it Anybody, without a key')
  expect(textOf('operation-cancelJob')).toContain('Deprecated')
})

test('objects written inside others are rows, named ones are links to their section', () => {
  expect(textOf('operation-listViews')).toContain('views[].path string required')
  expect(textOf('schema-AgentJob')).toContain('source.repository string required')
  expect(textOf('schema-AgentJob')).toContain('parent AgentJob or null required')
  expect(textOf('schema-Me')).toContain('expiresAt string (date-time) or null required When the key ends; null: never.')
  expect(textOf('schema-Scope')).toContain('agent:read or agent:write')
})

test('the problem codes stand in one table with their status', () => {
  expect(textOf('problem-codes')).toContain(`rate_limited429${problemCodes.rate_limited.title}`)
  expect(renderReferencePage(minimal)).not.toContain('problem-codes')
})

test('calls are grouped by tag in the order of the document, those without one at the end', () => {
  const document: OpenApiDocument = {
    ...minimal,
    tags: [{ name: 'Second' }, { name: 'Unused' }, { name: 'First' }],
    paths: { '/a': { get: {} }, '/b': { get: { tags: ['First'] } }, '/c': { get: { tags: ['Second'] } } },
  }
  const groups = valuesOf(tagsOf(renderReferencePage(document)), 'id').filter((id) => id.startsWith('group-'))
  expect(groups).toEqual(['group-Second', 'group-First', 'group-Other'])
})

test('access without our own word for it is read from the security requirements', () => {
  const described = (security: Record<string, string[]>[]) =>
    renderReferencePage({ ...minimal, paths: { '/a': { get: { security } } } })
  expect(described([])).toContain('Anybody, without a key')
  expect(described([{ apiKey: [] }, {}])).toContain('Anybody, without a key')
  expect(described([{ apiKey: [] }])).toContain('Any valid API key')
  expect(described([{ apiKey: ['jobs'] }])).toContain('An API key with <code>jobs</code>')
})
