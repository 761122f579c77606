/**
 * Converts GitHub's OpenAPI 3.0 document to JSON Schema with references to `github#/schemas/…`, without what does not
 * validate.
 */

export type Schema = { [key: string]: unknown }

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
  /** Whether the value may contain slashes. */
  isMultiSegment: boolean
}

export interface DescribedOperation {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | null
  bodyIsRequired: boolean
  /** Schemas by status. Null for a response without JSON. */
  responses: Record<string, Schema | null>
}

export interface GithubDescription {
  operations: DescribedOperation[]
  /** Schemas of payloads by `event-action`, with hyphens. */
  webhooks: Record<string, Schema>
  schemas: Record<string, Schema>
}

type Referable<T> = T | { $ref: string }
type Content = { content?: Record<string, { schema?: Schema }> }

interface OpenApiParameter {
  name: string
  in: Parameter['in']
  required?: boolean
  schema: Schema
  'x-multi-segment'?: boolean
}

interface OpenApiOperation {
  operationId: string
  parameters?: Referable<OpenApiParameter>[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Referable<Content>>
}

export interface OpenApi {
  paths: Record<string, Record<string, OpenApiOperation>>
  'x-webhooks': Record<string, { post: { requestBody: Content } }>
  components: {
    schemas: Record<string, Schema>
    parameters: Record<string, OpenApiParameter>
    responses: Record<string, Content>
  }
}

export function toGithubDescription(document: OpenApi): GithubDescription {
  const { schemas, parameters, responses } = document.components
  const jsonSchemaOf = ({ content }: Content) => content?.['application/json']?.schema
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => {
      const body = operation.requestBody && jsonSchemaOf(operation.requestBody)
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []).map((reference) => {
          const parameter = resolve(reference, parameters)
          return {
            name: parameter.name,
            in: parameter.in,
            required: parameter.required ?? false,
            schema: toJsonSchema(parameter.schema),
            isMultiSegment: parameter['x-multi-segment'] ?? false,
          }
        }),
        body: body ? toJsonSchema(body) : null,
        bodyIsRequired: operation.requestBody?.required ?? false,
        responses: Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => {
            const schema = jsonSchemaOf(resolve(response, responses))
            return [status, schema ? toJsonSchema(schema) : null]
          }),
        ),
      }
    }),
  )
  const webhooks = Object.entries(document['x-webhooks']).map(([name, { post }]) => [
    name,
    toJsonSchema(jsonSchemaOf(post.requestBody) ?? {}),
  ])
  return { operations, webhooks: Object.fromEntries(webhooks), schemas: toJsonSchemas(schemas) }
}

function resolve<T extends object>(reference: Referable<T>, components: Record<string, T>): T {
  if (!('$ref' in reference)) return reference
  const found = components[reference.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${reference.$ref} is not in the description.`)
  return found
}

const ignoredKeywords = new Set([
  'description',
  'example',
  'examples',
  'default',
  'title',
  'externalDocs',
  'deprecated',
])

/**
 * OpenAPI 3.0 differs from JSON Schema in two ways that matter here: `nullable`, and keywords next to a `$ref`, which
 * it ignores.
 */
export function toJsonSchema(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') {
    return { $ref: schema.$ref.replace('#/components/schemas/', 'github#/schemas/') }
  }
  const { nullable, ...rest } = schema
  const converted = Object.fromEntries(
    Object.entries(rest)
      .filter(([keyword]) => !ignoredKeywords.has(keyword))
      .map(([keyword, value]) => [keyword, convertKeyword(keyword, value)]),
  )
  return nullable === true ? orNull(converted) : converted
}

function orNull(schema: Schema): Schema {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const { enum: values } = schema
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
}

function convertKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' || keyword === 'patternProperties') return toJsonSchemas(value as Record<string, Schema>)
  if (keyword === 'allOf' || keyword === 'anyOf' || keyword === 'oneOf') return (value as Schema[]).map(toJsonSchema)
  if ((keyword === 'items' || keyword === 'additionalProperties' || keyword === 'not') && typeof value === 'object') {
    return toJsonSchema(value as Schema)
  }
  return value
}

const toJsonSchemas = (schemas: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]))
