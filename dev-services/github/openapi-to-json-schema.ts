/** GitHub's OpenAPI 3.0 document, cut down to what validates, as JSON Schema that refers to `github#/schemas/…`. */

export type Schema = { [key: string]: unknown }

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: Schema
  /** It may hold slashes. */
  isMultiSegment: boolean
}

export interface DescribedOperation {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  body: Schema | null
  bodyIsRequired: boolean
  /** By status; null: an answer without JSON. */
  responses: Record<string, Schema | null>
}

export interface Description {
  operations: DescribedOperation[]
  /** Payloads, by `event-action` with hyphens. */
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

/** Where this edition of the description says what cannot be: an account that is a user and an enterprise in one. */
const mended: Record<string, Record<string, Schema>> = {
  'apps/list-installations': { 200: { type: 'array', items: { $ref: 'github#/schemas/installation' } } },
}

export function describe(document: OpenApi): Description {
  const { schemas, parameters, responses } = document.components
  const jsonOf = ({ content }: Content) => content?.['application/json']?.schema
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => {
      const body = operation.requestBody && jsonOf(operation.requestBody)
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []).map((given) => {
          const parameter = resolve(given, parameters)
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
          Object.entries(operation.responses).map(([status, given]) => {
            const schema = jsonOf(resolve(given, responses))
            return [status, mended[operation.operationId]?.[status] ?? (schema ? toJsonSchema(schema) : null)]
          }),
        ),
      }
    }),
  )
  const webhooks = Object.entries(document['x-webhooks']).map(([name, { post }]) => [
    name,
    toJsonSchema(jsonOf(post.requestBody) ?? {}),
  ])
  return { operations, webhooks: Object.fromEntries(webhooks), schemas: toJsonSchemas(schemas) }
}

function resolve<T extends object>(given: Referable<T>, among: Record<string, T>): T {
  if (!('$ref' in given)) return given
  const found = among[given.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${given.$ref} is not in the description`)
  return found
}

const unneeded = new Set(['description', 'example', 'examples', 'default', 'title', 'externalDocs', 'deprecated'])

/** OpenAPI 3.0 is no JSON Schema in two ways that matter: `nullable`, and words beside a `$ref`, which it ignores. */
export function toJsonSchema(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') {
    return { $ref: schema.$ref.replace('#/components/schemas/', 'github#/schemas/') }
  }
  const { nullable, ...rest } = schema
  const converted = Object.fromEntries(
    Object.entries(rest)
      .filter(([word]) => !unneeded.has(word))
      .map(([word, value]) => [word, convertWord(word, value)]),
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

function convertWord(word: string, value: unknown): unknown {
  if (word === 'properties' || word === 'patternProperties') return toJsonSchemas(value as Record<string, Schema>)
  if (word === 'allOf' || word === 'anyOf' || word === 'oneOf') return (value as Schema[]).map(toJsonSchema)
  if ((word === 'items' || word === 'additionalProperties' || word === 'not') && typeof value === 'object') {
    return toJsonSchema(value as Schema)
  }
  return value
}

const toJsonSchemas = (schemas: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]))
