import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'
import Type, { type TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import { cpuMillisecondsOf } from '../testing/cpu-milliseconds.ts'
import { Problem } from './problem.ts'
import { compileValidator } from './validation.ts'

/** The value that the handler gets, or the errors by field. */
function check(httpPart: 'body' | 'querystring' | 'params' | 'headers', schema: TSchema, value: unknown) {
  const validate = compileValidator({ schema, httpPart, method: 'POST', url: '/' } as FastifyRouteSchemaDef<TSchema>)
  const result = validate(value) as { value?: unknown; error?: unknown }
  if (result.error === undefined) return { value: result.value }
  if (!(result.error instanceof Problem)) throw result.error
  const { code, detail, errors } = result.error
  return { code, detail, errors }
}

const Body = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 3 }),
    tags: Type.Optional(Type.Array(Type.Object({ id: Type.Integer() }, { additionalProperties: false }))),
    at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  },
  { additionalProperties: false },
)

describe('validation of a body', () => {
  test('passes a valid body on unchanged', () => {
    const body = { name: 'abc', tags: [{ id: 1 }], at: '2026-02-28T12:00:00+01:00' }
    expect(check('body', Body, body)).toEqual({ value: body })
    expect(check('body', Body, { name: 'abc', at: null })).toEqual({ value: { name: 'abc', at: null } })
  })

  test.each<[string, unknown, string]>([
    ['a missing field', {}, 'body/name'],
    ['an unknown field', { name: 'a', nmae: 'b' }, 'body/nmae'],
    ['an unknown nested field', { name: 'a', tags: [{ id: 1 }, { id: 2, di: 3 }] }, 'body/tags/1/di'],
    ['a wrong type', { name: 1 }, 'body/name'],
    ['a number as text (values are not converted)', { name: 'a', tags: [{ id: '1' }] }, 'body/tags/0/id'],
    ['a fraction (values are not rounded)', { name: 'a', tags: [{ id: 1.5 }] }, 'body/tags/0/id'],
    ['text that is too long (values are not truncated)', { name: 'abcd' }, 'body/name'],
    ['a date that does not exist', { name: 'a', at: '2026-02-30T00:00:00Z' }, 'body/at'],
    ['a date without a time zone', { name: 'a', at: '2026-02-28T00:00:00' }, 'body/at'],
    ['text instead of an object', 'text', 'body'],
    ['no body', undefined, 'body'],
  ])('rejects %s and names the field', (_name, body, path) => {
    const { code, detail, errors } = check('body', Body, body)
    expect(code).toBe('invalid_request')
    expect(errors?.map((error) => error.path)).toContain(path)
    expect(detail).toBe(`${errors?.[0]?.path} ${errors?.[0]?.message}.`)
  })

  test('reports every error, up to a limit', () => {
    const { errors } = check('body', Body, { name: '', at: 5, other: true })
    expect(new Set(errors?.map(({ path }) => path))).toEqual(new Set(['body/name', 'body/at', 'body/other']))
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`field${index}`, index]))
    expect(check('body', Body, { name: 'a', ...many }).errors?.slice(0, 2)).toEqual([
      { path: 'body/field0', message: 'is not a known field' },
      { path: 'body/field1', message: 'is not a known field' },
    ])
  })

  test('rejects very many duplicate items quickly', () => {
    const Tags = Type.Object({ tags: Type.Array(Type.String(), { uniqueItems: true }) })
    const cpuMilliseconds = cpuMillisecondsOf(() =>
      expect(check('body', Tags, { tags: Array(200_000).fill('a') }).errors).toMatchObject([{ path: 'body/tags' }]),
    )
    expect(cpuMilliseconds).toBeLessThan(5_000)
  })

  test('truncates the name of an unknown field in the error', () => {
    const { detail } = check('body', Body, { name: 'a', ['x'.repeat(100_000)]: 1 })
    expect(detail).toMatch(/^body\/x+… is not a known field\.$/)
    expect(detail?.length).toBeLessThan(200)
  })
})

const Query = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 250, default: 50 })),
    draft: Type.Optional(Type.Boolean()),
    cursor: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

describe('validation of a query string', () => {
  test.each([
    [{}, { limit: 50 }],
    [{ limit: '7' }, { limit: 7 }],
    [
      { limit: '250', draft: 'true', cursor: '12' },
      { limit: 250, draft: true, cursor: '12' },
    ],
    [{ draft: 'false' }, { limit: 50, draft: false }],
  ])('parses %o as %o', (query, parsed) => {
    expect(check('querystring', Query, query)).toEqual({ value: parsed })
  })

  test.each([
    ['query/limit', { limit: '' }],
    ['query/limit', { limit: '0' }],
    ['query/limit', { limit: '251' }],
    ['query/limit', { limit: '1.0' }],
    ['query/limit', { limit: '1e2' }],
    ['query/limit', { limit: ' 7' }],
    ['query/limit', { limit: '9'.repeat(400) }],
    ['query/limit', { limit: ['1', '2'] }],
    ['query/draft', { draft: '1' }],
    ['query/draft', { draft: '' }],
    ['query/cursor', { cursor: ['a', 'b'] }],
    ['query/limti', { limti: '5' }],
  ])('reports an error at %s for %o', (path, query) => {
    const { code, errors } = check('querystring', Query, query)
    expect(code).toBe('invalid_request')
    expect(errors?.map((error) => error.path)).toContain(path)
  })
})

test('calls path parameters and headers by the names that API clients know', () => {
  const Id = Type.Object({ id: Type.String({ maxLength: 3 }) })
  expect(check('params', Id, { id: 'long' }).errors).toMatchObject([{ path: 'path/id' }])
  expect(check('headers', Id, { id: 'long' }).errors).toMatchObject([{ path: 'headers/id' }])
})
