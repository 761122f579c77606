/** The parts of an OpenAPI 3.1 document that the reference page shows. */

type Named<Value> = Readonly<Record<string, Value>>

export interface SchemaObject {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly properties?: Named<Schema>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}
export type Schema = boolean | SchemaObject

export type ContentByMediaType = Named<{ readonly schema?: Schema; readonly example?: unknown }>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface Header {
  readonly $ref?: string
  readonly description?: string
  readonly required?: boolean
  readonly schema?: Schema
  readonly example?: unknown
}

export interface ResponseObject {
  readonly description?: string
  readonly headers?: Named<Header>
  readonly content?: ContentByMediaType
}

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly description?: string
    readonly required?: boolean
    readonly content?: ContentByMediaType
  }
  readonly responses?: Named<ResponseObject>
  readonly security?: readonly Named<readonly string[]>[]
  /** `public`, `any-key`, `session`, `operator`, or the scope that a key needs. */
  readonly 'x-colophon-access'?: string
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

type PathItem = { readonly [Method in (typeof methods)[number]]?: Operation } & {
  readonly parameters?: readonly Parameter[]
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description?: string
    readonly license?: { readonly name: string; readonly identifier: string }
  }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly security?: Operation['security']
  readonly paths?: Named<PathItem>
  readonly components?: {
    readonly headers?: Named<Header>
    readonly schemas?: Named<Schema>
    readonly securitySchemes?: Named<{
      readonly type?: string
      readonly scheme?: string
      readonly in?: string
      readonly name?: string
      readonly description?: string
    }>
  }
}

export interface Endpoint {
  readonly method: string
  readonly path: string
  /** Includes the parameters of its path and the security of the document. */
  readonly operation: Operation
}

export function listEndpoints(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method): Endpoint[] => {
      const operation = item[method]
      if (!operation) return []
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      const security = operation.security ?? document.security ?? []
      return [{ method: method.toUpperCase(), path, operation: { ...operation, parameters, security } }]
    }),
  )
}

export const toSchemaObject = (schema: Schema | undefined): SchemaObject => (typeof schema === 'object' ? schema : {})

/** The name of the component that a schema references. */
export const referencedSchemaName = (schema: Schema | undefined) =>
  toSchemaObject(schema).$ref?.replace('#/components/schemas/', '')

/** Follows references to the schema itself. A broken or circular reference resolves to an empty schema. */
export function resolveSchema(document: OpenApiDocument, schema: Schema | undefined): SchemaObject {
  const visited = new Set<string>()
  let current = schema
  for (
    let name = referencedSchemaName(current);
    name !== undefined && !visited.has(name);
    name = referencedSchemaName(current)
  ) {
    visited.add(name)
    current = document.components?.schemas?.[name]
  }
  return toSchemaObject(current)
}

export const resolveHeader = (document: OpenApiDocument, header: Header): Header =>
  (header.$ref && document.components?.headers?.[header.$ref.replace('#/components/headers/', '')]) || header

/** The members of a union. A schema that is not a union is its own only member. */
export const unionMembers = (schema: Schema): readonly Schema[] => {
  const { anyOf, oneOf } = toSchemaObject(schema)
  return anyOf ?? oneOf ?? [schema]
}

/** The values of an `enum`, of a `const`, or of a union of these. */
export function literalValues(schema: Schema): readonly unknown[] {
  return unionMembers(schema).flatMap((member) => {
    const object = toSchemaObject(member)
    if (object.enum) return object.enum
    return 'const' in object ? [object.const] : []
  })
}
