import { expect, test } from 'vitest'
import { examplePlaceholder } from '../server/src/api-reference/example-value.ts'
import type { OpenApiDocument } from '../server/src/api-reference/openapi-document.ts'
import { committedDocument } from './openapi.ts'
import { findOpenApiQualityProblems } from './openapi-quality.ts'

test('the committed API description is complete', async () => {
  expect(await findOpenApiQualityProblems(committedDocument() as OpenApiDocument)).toEqual([])
})

const name = () => ({ type: 'string', description: 'Name of the page.' })

const text = (description: string) => ({ type: 'string', description })
const problemContent = {
  'application/problem+json': {
    schema: { type: 'object', properties: { type: text('URL of the problem.'), title: text('Name of the problem.') } },
  },
}

/** A complete document. Each test removes or breaks one thing. */
const complete = {
  openapi: '3.1.0',
  info: { title: 'Sample', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  security: [{ key: [] }],
  tags: [{ name: 'Pages', description: 'Pages of a site.' }],
  paths: {
    '/pages/{id}': {
      get: {
        operationId: 'getPage',
        tags: ['Pages'],
        summary: 'Get a page',
        description: 'Returns a page.',
        parameters: [
          { name: 'id', in: 'path', required: true, description: 'ID of the page.', schema: { type: 'string' } },
        ],
        requestBody: {
          content: { 'application/json': { schema: { type: 'object', properties: { name: name() } } } },
        },
        responses: {
          200: {
            description: 'The page.',
            headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Page' },
                example: { name: 'Install', links: [{ target: '/docs' }] },
              },
            },
          },
          401: {
            description: 'The key is not valid.',
            headers: {
              'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
              'WWW-Authenticate': { description: 'Scheme of the key.', schema: { type: 'string' } },
            },
            content: problemContent,
          },
          429: {
            description: 'Too many requests.',
            headers: {
              'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
              'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
            },
            content: problemContent,
          },
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    headers: { 'X-Request-Id': { description: 'ID of the request.', schema: { type: 'string' } } },
    schemas: {
      Page: {
        type: 'object',
        description: 'A page.',
        required: ['name', 'links'],
        properties: {
          name: name(),
          links: {
            type: 'array',
            description: 'Links of the page.',
            items: {
              type: 'object',
              required: ['target'],
              properties: { target: { type: 'string', description: 'Path that the link leads to.' } },
            },
          },
          error: {
            anyOf: [
              {
                type: 'object',
                properties: { code: { type: 'string', enum: ['cancelled'], description: 'Code of the error.' } },
              },
              { type: 'null' },
            ],
            description: 'Why the page could not be built.',
          },
        },
      },
    },
  },
}

test('finds nothing in a complete document', async () => {
  expect(await findOpenApiQualityProblems(complete)).toEqual([])
})

type Complete = typeof complete
const operationOf = (document: Complete) => document.paths['/pages/{id}'].get
const contentOf = (document: Complete) => operationOf(document).responses[200].content['application/json']

test.each<[what: string, damage: (document: Complete) => unknown, problem: string]>([
  [
    'a named schema without a description',
    ({ components }) => Reflect.deleteProperty(components.schemas.Page, 'description'),
    'schema Page has no description',
  ],
  [
    'a field without a description',
    ({ components }) => Reflect.deleteProperty(components.schemas.Page.properties.name, 'description'),
    'Page.name has no description',
  ],
  [
    'a nested field without a description',
    ({ components }) =>
      Reflect.deleteProperty(components.schemas.Page.properties.links.items.properties.target, 'description'),
    'Page.links[].target has no description',
  ],
  [
    'a field of a request body without a description',
    (document) =>
      Reflect.deleteProperty(
        operationOf(document).requestBody.content['application/json'].schema.properties.name,
        'description',
      ),
    'getPage body.name has no description',
  ],
  [
    'a tag without a description',
    ({ tags }) => Reflect.deleteProperty(tags[0] ?? {}, 'description'),
    '#/tags/0/description: Tag object should contain `description` field. (tag-description)',
  ],
  [
    'an operation without a description',
    (document) => Reflect.deleteProperty(operationOf(document), 'description'),
    '#/paths/~1pages~1{id}/get/description: Operation object should contain `description` field. (operation-description)',
  ],
  [
    'a parameter without a description',
    (document) => Reflect.deleteProperty(operationOf(document).parameters[0] ?? {}, 'description'),
    '#/paths/~1pages~1{id}/get/parameters/0: Parameter object description must be present. (parameter-description)',
  ],
  [
    'a response without a description',
    (document) => Reflect.deleteProperty(operationOf(document).responses[200], 'description'),
    '#/paths/~1pages~1{id}/get/responses/200: The field `description` must be present on this level. (struct)',
  ],
  [
    'a response with an empty description',
    (document) => Object.assign(operationOf(document).responses[200], { description: '' }),
    '#/paths/~1pages~1{id}/get/responses/200/description: Response must have a description. (rule/response-description)',
  ],
  [
    'a response without X-Request-Id',
    (document) => Reflect.deleteProperty(operationOf(document).responses[200].headers, 'X-Request-Id'),
    '#/paths/~1pages~1{id}/get/responses/200/headers: Response object must contain a "X-Request-Id" header. (response-contains-header)',
  ],
  [
    'a 401 without WWW-Authenticate',
    (document) => Reflect.deleteProperty(operationOf(document).responses[401].headers, 'WWW-Authenticate'),
    '#/paths/~1pages~1{id}/get/responses/401/headers: Response object must contain a "WWW-Authenticate" header. (response-contains-header)',
  ],
  [
    'a 429 without Retry-After',
    (document) => Reflect.deleteProperty(operationOf(document).responses[429].headers, 'Retry-After'),
    '#/paths/~1pages~1{id}/get/responses/429/headers: Response object must contain a "Retry-After" header. (response-contains-header)',
  ],
  [
    'a header without a description',
    (document) => Reflect.deleteProperty(operationOf(document).responses[429].headers['Retry-After'], 'description'),
    '#/paths/~1pages~1{id}/get/responses/429/headers/Retry-After/description: Header must have a description. (rule/header-description)',
  ],
  [
    'error codes that are not an enum',
    ({ components }) =>
      Reflect.deleteProperty(components.schemas.Page.properties.error.anyOf[0]?.properties?.code ?? {}, 'enum'),
    'Page.error.code is not an enum',
  ],
  [
    'a response without an example',
    (document) => Reflect.deleteProperty(contentOf(document), 'example'),
    'getPage: response 200 has no example',
  ],
  [
    'a placeholder in an example',
    (document) => Object.assign(contentOf(document).example.links[0] ?? {}, { target: examplePlaceholder }),
    'getPage: response 200: the example has a placeholder at /links/0/target',
  ],
  [
    'an example that does not match the schema',
    (document) => Reflect.deleteProperty(contentOf(document).example, 'links'),
    "#/paths/~1pages~1{id}/get/responses/200/content/application~1json/example: Example value must conform to the schema: must have required property 'links'. (no-invalid-media-type-examples)",
  ],
])('finds %s', async (_what, damage, problem) => {
  const document = structuredClone(complete)
  damage(document)
  expect(await findOpenApiQualityProblems(document)).toEqual([problem])
})
