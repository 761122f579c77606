/** Matches requests to operations of GitHub's API description, and validates requests, responses and events against it. */

import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { DescribedOperation, GithubDescription, Parameter, Schema } from './openapi-to-json-schema.ts'

export interface MatchedOperation {
  operation: DescribedOperation
  pathParameters: Record<string, string>
}

/** GitHub uses these statuses for every operation, but does not list them for every operation. */
const commonStatuses = new Set([301, 307, 400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503])

export class ApiDescription {
  readonly #description: GithubDescription
  readonly #ajv: Ajv
  /** For values that arrive as text, in paths and queries. */
  readonly #coercing: Ajv
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #patterns: { operation: DescribedOperation; pattern: RegExp; names: string[] }[]

  constructor(description: GithubDescription) {
    this.#description = description
    this.#ajv = newAjv(description, false)
    this.#coercing = newAjv(description, true)
    this.#patterns = description.operations.map(toPattern).sort((a, b) => b.literals - a.literals)
  }

  /** `path` must not be decoded: names may contain encoded slashes. */
  find(method: string, path: string): MatchedOperation | undefined {
    for (const { operation, pattern, names } of this.#patterns) {
      if (operation.method !== method) continue
      const values = pattern.exec(path)?.slice(1)
      if (!values) continue
      const pathParameters = Object.fromEntries(
        names.map((name, index) => [name, decodeURIComponent(values[index] ?? '')]),
      )
      return { operation, pathParameters }
    }
    return undefined
  }

  /** Returns the problems of a request, and its query converted to the types in the description. */
  validateRequest(
    { operation, pathParameters }: MatchedOperation,
    query: URLSearchParams,
    body: unknown,
  ): { problems: string[]; query: Record<string, unknown> } {
    const values: Record<string, unknown> = Object.fromEntries(query)
    const problems = [
      ...this.#checkParameters(operation, 'path', { ...pathParameters }),
      ...this.#checkParameters(operation, 'query', values),
      ...this.#checkBody(operation, body),
    ]
    return { problems, query: values }
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
    if (operation.body === null) return body === undefined ? [] : ['body: this operation has no body']
    if (body === undefined) return operation.bodyIsRequired ? ['body: missing'] : []
    return this.#check(`${operation.id} body`, rejectUnknownFields(operation.body), body)
  }

  validateResponse(operation: DescribedOperation, status: number, body: unknown): string[] {
    const schema = operation.responses[status]
    if (schema === undefined && !commonStatuses.has(status)) return [`${operation.id} has no status ${status}`]
    if (schema) return this.#check(`${operation.id} ${status}`, schema, body)
    if (status < 300 || status === 302)
      return body === undefined ? [] : [`a response ${status} of ${operation.id} has no body`]
    return this.#check('error', { $ref: 'github#/schemas/basic-error' }, body)
  }

  validateEvent(event: string, action: string | undefined, payload: unknown): string[] {
    const name = [event, action].filter(Boolean).join('-').replaceAll('_', '-')
    const schema = this.#description.webhooks[name]
    return schema ? this.#check(`event ${name}`, schema, payload) : [`the description has no event ${name}`]
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

function newAjv({ schemas }: GithubDescription, coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes, validateSchema: false })
  addFormats.default(ajv)
  for (const format of ['repo.nwo', 'timestamp', 'binary']) ajv.addFormat(format, true)
  ajv.addFormat('email', true) // the email addresses of GitHub's bots contain brackets
  return ajv.addSchema({ $id: 'github', schemas })
}

/** GitHub ignores unknown fields, and with them misspelled ones. The simulator rejects them. */
const rejectUnknownFields = (schema: Schema): Schema =>
  schema.properties && schema.additionalProperties === undefined ? { ...schema, additionalProperties: false } : schema

function toPattern(operation: DescribedOperation) {
  const names: string[] = []
  const pattern = operation.path.replace(/[.]|\{(\w+)\}/g, (text, name: string | undefined) => {
    if (name === undefined) return `\\${text}`
    names.push(name)
    return operation.parameters.some((parameter) => parameter.name === name && parameter.isMultiSegment)
      ? '(.+?)'
      : '([^/]+)'
  })
  const literals = operation.path.split('/').filter((part) => !part.includes('{')).length
  return { operation, pattern: new RegExp(`^${pattern}$`), names, literals }
}
