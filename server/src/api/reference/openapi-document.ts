/** As much of an OpenAPI 3.1 document as the page shows. */

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

export type Content = Named<{ readonly schema?: Schema; readonly example?: unknown }>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface Answer {
  readonly description?: string
  readonly headers?: Named<{ readonly description?: string; readonly required?: boolean; readonly schema?: Schema }>
  readonly content?: Content
}

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly description?: string; readonly required?: boolean; readonly content?: Content }
  readonly responses?: Named<Answer>
  readonly security?: readonly Named<readonly string[]>[]
  /** `public`, `any-key`, or the scope a key needs. */
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

export interface Call {
  readonly method: string
  readonly path: string
  /** With what it inherits from its path and from the document. */
  readonly operation: Operation
}

export function callsOf(document: OpenApiDocument): Call[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method): Call[] => {
      const own = item[method]
      if (!own) return []
      const parameters = [...(item.parameters ?? []), ...(own.parameters ?? [])]
      const security = own.security ?? document.security ?? []
      return [{ method: method.toUpperCase(), path, operation: { ...own, parameters, security } }]
    }),
  )
}

export const asObject = (schema: Schema | undefined): SchemaObject => (typeof schema === 'object' ? schema : {})

/** The name of the component that a schema refers to. */
export const referredName = (schema: Schema | undefined) => asObject(schema).$ref?.replace('#/components/schemas/', '')

/** What a schema says itself: a reference followed as far as it leads, nothing where it leads nowhere. */
export function resolve(document: OpenApiDocument, schema: Schema | undefined): SchemaObject {
  const passed = new Set<string>()
  let current = schema
  for (let name = referredName(current); name !== undefined && !passed.has(name); name = referredName(current)) {
    passed.add(name)
    current = document.components?.schemas?.[name]
  }
  return asObject(current)
}

/** The members of a union; a schema that is none is its own only member. */
export const membersOf = (schema: Schema): readonly Schema[] => {
  const { anyOf, oneOf } = asObject(schema)
  return anyOf ?? oneOf ?? [schema]
}

/** The values of an `enum`, a `const`, or of a union of such. */
export function literalsOf(schema: Schema): readonly unknown[] {
  return membersOf(schema).flatMap((member) => {
    const object = asObject(member)
    if (object.enum) return object.enum
    return 'const' in object ? [object.const] : []
  })
}
