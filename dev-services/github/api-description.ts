/** Which operation a request is, and whether it, its answer and our events are what GitHub's description says. */

import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { DescribedOperation, Description, Parameter, Schema } from './openapi-to-json-schema.ts'

export interface MatchedOperation {
  operation: DescribedOperation
  pathParameters: Record<string, string>
}

/** GitHub answers with these everywhere, and does not list them everywhere. */
const everywhere = new Set([301, 307, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503])

export class ApiDescription {
  readonly #description: Description
  readonly #ajv: Ajv
  /** For what comes as text: paths and queries. */
  readonly #coercing: Ajv
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #patterns: { operation: DescribedOperation; pattern: RegExp; names: string[] }[]

  constructor(description: Description) {
    this.#description = description
    this.#ajv = newAjv(description, false)
    this.#coercing = newAjv(description, true)
    this.#patterns = description.operations.map(toPattern).sort((a, b) => b.literals - a.literals)
  }

  /** `path` as it was sent: names may hold encoded slashes. */
  find(method: string, path: string): MatchedOperation | undefined {
    for (const { operation, pattern, names } of this.#patterns) {
      if (operation.method !== method) continue
      const values = pattern.exec(path)?.slice(1)
      if (!values) continue
      const pathParameters = Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')]))
      return { operation, pathParameters }
    }
    return undefined
  }

  /** What is wrong with a request; its query as the types that the description gives it. */
  readRequest(
    { operation, pathParameters }: MatchedOperation,
    query: URLSearchParams,
    body: unknown,
  ): { faults: string[]; query: Record<string, unknown> } {
    const given: Record<string, unknown> = Object.fromEntries(query)
    const faults = [
      ...this.#checkParameters(operation, 'path', { ...pathParameters }),
      ...this.#checkParameters(operation, 'query', given),
      ...this.#checkBody(operation, body),
    ]
    return { faults, query: given }
  }

  #checkParameters(operation: DescribedOperation, where: Parameter['in'], values: Record<string, unknown>): string[] {
    const parameters = operation.parameters.filter((parameter) => parameter.in === where)
    const schema = {
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      required: parameters.filter(({ required }) => required).map(({ name }) => name),
      additionalProperties: false,
    }
    return this.#check(`${operation.id} ${where}`, schema, values, this.#coercing)
  }

  #checkBody(operation: DescribedOperation, body: unknown): string[] {
    if (operation.body === null) return body === undefined ? [] : ['body: this operation takes none']
    if (body === undefined) return operation.bodyIsRequired ? ['body: it is missing'] : []
    return this.#check(`${operation.id} body`, withoutUnknown(operation.body), body)
  }

  checkResponse(operation: DescribedOperation, status: number, body: unknown): string[] {
    const schema = operation.responses[status]
    if (schema === undefined && !everywhere.has(status)) return [`status ${status} is not one that ${operation.id} has`]
    if (schema) return this.#check(`${operation.id} ${status}`, schema, body)
    if (status < 300 || status === 302)
      return body === undefined ? [] : [`an answer ${status} of ${operation.id} has no body`]
    return this.#check('error', { $ref: 'github#/schemas/basic-error' }, body)
  }

  checkEvent(event: string, action: string | undefined, payload: unknown): string[] {
    const name = [event, action].filter(Boolean).join('-').replaceAll('_', '-')
    const schema = this.#description.webhooks[name]
    return schema ? this.#check(`event ${name}`, schema, payload) : [`no event ${name} is described`]
  }

  #check(name: string, schema: Schema, value: unknown, ajv = this.#ajv): string[] {
    const validate = this.#validators.get(name) ?? ajv.compile(schema)
    this.#validators.set(name, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${name}${instancePath}: ${message} ${JSON.stringify(params)}`.trim(),
    )
  }
}

function newAjv({ schemas }: Description, coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes, validateSchema: false })
  addFormats.default(ajv)
  for (const format of ['repo.nwo', 'timestamp', 'binary']) ajv.addFormat(format, true)
  ajv.addFormat('email', true) // GitHub's own bots have addresses with brackets
  return ajv.addSchema({ $id: 'github', schemas })
}

/** GitHub ignores what it does not know, and with it a misspelt word. */
const withoutUnknown = (schema: Schema): Schema =>
  schema.properties && schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema

function toPattern(operation: DescribedOperation) {
  const names: string[] = []
  const pattern = operation.path.replace(/[.]|\{(\w+)\}/g, (text, name: string | undefined) => {
    if (name === undefined) return `\\${text}`
    names.push(name)
    return operation.parameters.some((one) => one.name === name && one.isMultiSegment) ? '(.+?)' : '([^/]+)'
  })
  const literals = operation.path.split('/').filter((part) => !part.includes('{')).length
  return { operation, pattern: new RegExp(`^${pattern}$`), names, literals }
}
