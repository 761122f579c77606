/** Runs the examples in a real shell, with a `curl` that prints its arguments. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlExample } from './curl-example.ts'
import { listEndpoints, type OpenApiDocument, type Operation } from './openapi-document.ts'
import { sampleDocument } from './testing/sample-document.ts'

function argumentsOf(document: OpenApiDocument, operationId: string): string[] {
  const call = listEndpoints(document).find(({ operation }) => operation.operationId === operationId)
  if (!call) throw new Error(`the document has no ${operationId}`)
  const script = `curl() { printf '%s\\0' "$@"; }\n${curlExample(document, call)}`
  const env = { COLOPHON_URL: 'https://docs.example.com', COLOPHON_API_KEY: 'colophon_secret' }
  return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
}

test('sends the example of the body, with quotes escaped', () => {
  expect(argumentsOf(sampleDocument, 'createJob')).toEqual([
    'https://docs.example.com/v2/agent/{projectId}/job',
    '-H',
    'Authorization: Bearer colophon_secret',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{"prompt":"Say in the README that it\'s open source."}',
  ])
})

test('names the method if curl would use another one', () => {
  expect(argumentsOf(sampleDocument, 'cancelJob').slice(0, 2)).toEqual(['-X', 'POST'])
  expect(argumentsOf(sampleDocument, 'getMe')[0]).toBe('https://docs.example.com/v2/me')
})

test('sends no key to a public operation, and one field of a body without required fields', () => {
  expect(argumentsOf(sampleDocument, 'collectView')).toEqual([
    'https://docs.example.com/v1/collect',
    '-H',
    'Content-Type: text/plain',
    '-d',
    '{"path":"…"}',
  ])
})

const documentWith = (operation: Operation, more: Partial<OpenApiDocument> = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'Sample', version: '1' },
  paths: { '/x': { get: { operationId: 'x', 'x-colophon-access': 'public', ...operation } } },
  ...more,
})

test('sends the required parameters, escaped for the shell', () => {
  const parameters = [
    { name: 'q', in: 'query', required: true, schema: { examples: ['a b&c'] } },
    { name: '$(reboot)`id`"', in: 'query', required: true, schema: { type: 'integer', exclusiveMinimum: 4 } },
    { name: 'left-out', in: 'query', schema: { type: 'string' } },
    { name: 'x-$HOME', in: 'header', required: true, schema: { const: "it's" } },
  ]
  const [url, , header] = argumentsOf(
    documentWith({ parameters }, { servers: [{ url: 'https://api.example.com/' }] }),
    'x',
  )
  expect(url).toBe('https://api.example.com/x?q=a%20b%26c&%24(reboot)%60id%60%22=5')
  expect(header).toBe("x-$HOME: it's")
})

test('uses values that the schema allows, and ends at a recursive schema', () => {
  const node = {
    type: 'object',
    required: ['when', 'day', 'many', 'yes', 'none', 'few', 'either', 'next', 'any'],
    properties: {
      when: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      many: { type: 'array', items: { enum: ['first', 'second'] } },
      yes: { type: 'boolean' },
      none: { type: 'null' },
      few: { type: 'integer', minimum: 3, maximum: 9 },
      either: { anyOf: [{ type: 'integer', maximum: 0 }, { type: 'null' }] },
      next: { $ref: '#/components/schemas/Node' },
      any: true,
    },
  }
  const document = documentWith(
    { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } } } },
    { components: { schemas: { Node: node } } },
  )
  expect(JSON.parse(argumentsOf(document, 'x').at(-1) ?? '')).toEqual({
    when: '2026-01-31T12:00:00Z',
    day: '2026-01-31',
    many: ['first'],
    yes: true,
    none: null,
    few: 3,
    either: 0,
    next: null,
    any: '…',
  })
})
