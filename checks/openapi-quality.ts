/** Finds what is missing in an OpenAPI document: descriptions, response headers, valid response examples, closed error codes. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { examplePlaceholder } from '../server/src/api-reference/example-value.ts'
import {
  listEndpoints,
  literalValues,
  type OpenApiDocument,
  referencedSchemaName,
  resolveHeader,
  type Schema,
  toSchemaObject,
  unionMembers,
} from '../server/src/api-reference/openapi-document.ts'

export function findOpenApiQualityProblems(document: OpenApiDocument): string[] {
  const validateExample = exampleValidator(document)
  return [
    ...Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => [
      ...(toSchemaObject(schema).description ? [] : [`schema ${name} has no description`]),
      ...undescribedFields(schema, name),
      ...openErrorCodes(schema, name),
    ]),
    ...(document.tags ?? []).flatMap(({ name, description }) =>
      description ? [] : [`tag ${name} has no description`],
    ),
    ...listEndpoints(document).flatMap(({ operation }) => operationProblems(document, operation, validateExample)),
  ]
}

type Operation = ReturnType<typeof listEndpoints>[number]['operation']

function operationProblems(
  document: OpenApiDocument,
  operation: Operation,
  validateExample: ValidateExample,
): string[] {
  const name = operation.operationId ?? '?'
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  return [
    ...(operation.description ? [] : [`${name} has no description`]),
    ...(operation.parameters ?? []).flatMap((parameter) =>
      parameter.description ? [] : [`${name}: parameter ${parameter.name} has no description`],
    ),
    ...bodies.flatMap(([, { schema = true }]) => undescribedFields(schema, `${name} body`)),
    ...Object.entries(operation.responses ?? {}).flatMap(([status, response]) => [
      ...(response.description ? [] : [`${name}: response ${status} has no description`]),
      ...Object.entries(response.headers ?? {}).flatMap(([header, value]) =>
        resolveHeader(document, value).description
          ? []
          : [`${name}: header ${header} of response ${status} has no description`],
      ),
      ...requiredHeaders(status)
        .filter((header) => !(header in (response.headers ?? {})))
        .map((header) => `${name}: response ${status} has no ${header}`),
      ...responseBodyProblems(`${name}: response ${status}`, status, response.content ?? {}, validateExample),
    ]),
  ]
}

const requiredHeaders = (status: string) => [
  'X-Request-Id',
  ...(status === '401' ? ['WWW-Authenticate'] : []),
  ...(status === '429' ? ['Retry-After'] : []),
]

function responseBodyProblems(
  name: string,
  status: string,
  content: NonNullable<NonNullable<Operation['responses']>[string]['content']>,
  validateExample: ValidateExample,
): string[] {
  const json = content['application/json']
  const fields = Object.values(content).flatMap(({ schema = true }) => undescribedFields(schema, name))
  if (!status.startsWith('2') || !json) return fields
  if (json.example === undefined) return [...fields, `${name} has no example`]
  const placeholders = JSON.stringify(json.example).includes(JSON.stringify(examplePlaceholder))
    ? [`${name}: the example has a placeholder at ${placeholderPaths(json.example).join(', ')}`]
    : []
  const invalid = validateExample(json.schema ?? true, json.example).map((problem) => `${name}: ${problem}`)
  return [...fields, ...placeholders, ...invalid]
}

/** Fields without a description, at any depth. References are skipped, because named schemas are checked on their own. */
function undescribedFields(schema: Schema, path: string): string[] {
  if (referencedSchemaName(schema) !== undefined) return []
  const object = toSchemaObject(schema)
  const members = unionMembers(object)
  if (members[0] !== object) return members.flatMap((member) => undescribedFields(member, path))
  return [
    ...Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
      const isDescribed = referencedSchemaName(field) !== undefined || toSchemaObject(field).description
      return [
        ...(isDescribed ? [] : [`${path}.${name} has no description`]),
        ...undescribedFields(field, `${path}.${name}`),
      ]
    }),
    ...(object.items ? undescribedFields(object.items, `${path}[]`) : []),
    ...(object.additionalProperties ? undescribedFields(object.additionalProperties, `${path}{}`) : []),
  ]
}

/** Clients branch on the code of a failed job, so the list of codes has to be closed. */
function openErrorCodes(schema: Schema, name: string): string[] {
  const error = toSchemaObject(schema).properties?.error ?? true
  return unionMembers(error).flatMap((member) => {
    const code = toSchemaObject(member).properties?.code
    return code === undefined || literalValues(code).length > 0 ? [] : [`${name}.error.code is not an enum`]
  })
}

function placeholderPaths(value: unknown, path = ''): string[] {
  if (value === examplePlaceholder) return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => placeholderPaths(inner, `${path}/${key}`))
}

type ValidateExample = (schema: Schema, example: unknown) => string[]

/** One instance for the whole document, because compiling its schemas takes most of the time. */
function exampleValidator({ components = {} }: OpenApiDocument): ValidateExample {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', components })
  return (schema, example) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')
    const validate = ajv.compile(JSON.parse(text) as object)
    if (validate(example)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `example${instancePath} ${message}`)
  }
}

if (import.meta.main) {
  const { generateOpenApiDocument } = await import('./openapi.ts')
  const problems = findOpenApiQualityProblems(generateOpenApiDocument() as OpenApiDocument)
  for (const problem of problems) console.log(problem)
  console.log(`${problems.length} problems`)
}
