/** Renders `operations.py`: for each operation of the API a function that describes its request, with the generated types. */

interface Schema {
  $ref?: string
}
interface Operation {
  operationId: string
  summary: string
  parameters?: readonly { name: string; in: 'path' | 'query' | 'header'; required?: boolean }[]
  requestBody?: { content: Record<string, unknown>; required?: boolean }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
  security?: readonly Record<string, unknown>[]
}
export interface ApiDescription {
  paths: Record<string, Record<string, Operation>>
}

const publicOperations = new Set(['getHealth', 'getReadiness'])

/** The client is for API keys. Other calls are for the dashboard, where people are signed in, and for scripts of sites. */
export function keepCallsOfApiKeys<Description extends ApiDescription>(description: Description): Description {
  const isKept = ({ operationId, security = [] }: Operation) =>
    publicOperations.has(operationId) || security.some((scheme) => 'apiKey' in scheme)
  const paths = Object.entries(description.paths).map(([path, operations]) => {
    const kept = Object.entries(operations).filter(([, operation]) => isKept(operation))
    return [path, Object.fromEntries(kept)] as const
  })
  return { ...description, paths: Object.fromEntries(paths.filter(([, kept]) => Object.keys(kept).length > 0)) }
}

export function renderOperations({ paths }: ApiDescription): string {
  const functions = Object.entries(paths).flatMap(([url, operations]) =>
    Object.entries(operations).map(([method, operation]) => renderFunction(url, method.toUpperCase(), operation)),
  )
  return `# Generated from the API description: run \`npm run python-client\`.
"""Every request that an API key can make. \`Colophon.call\` and \`AsyncColophon.call\` send them."""

from __future__ import annotations

from . import types
from ._operation import Download, Operation

${functions.join('\n')}`
}

function renderFunction(url: string, method: string, operation: Operation): string {
  const { operationId, summary, parameters = [], requestBody } = operation
  const typePrefix = `types.${upperFirst(operationId)}`
  const signature: string[] = []
  const request: string[] = []

  const pathNames = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  signature.push(...pathNames.map((name) => `${toSnakeCase(name)}: str`))
  if (pathNames.length > 0)
    request.push(`path={${pathNames.map((name) => `"${name}": ${toSnakeCase(name)}`).join(', ')}}`)

  if (requestBody) {
    const isRequired = requestBody.required === true
    signature.push(`body: ${typePrefix}Request${isRequired ? '' : ' | None = None'}`)
    request.push('body=body')
  }
  const queryParameters = parameters.filter((parameter) => parameter.in === 'query')
  if (queryParameters.length > 0) {
    const isRequired = queryParameters.some(({ required }) => required)
    signature.push(`query: ${typePrefix}ParametersQuery${isRequired ? '' : ' | None = None'}`)
    request.push(isRequired ? 'query=query' : 'query=query or {}')
  }
  if (parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'))
    request.push('takes_idempotency_key=True')
  if (operationId === 'getReadiness') request.push('additional_statuses=(503,)')

  const response = describeResponse(operation)
  const [kind, result, first] =
    response.kind === 'file'
      ? (['Download', 'Download', [url, response.contentType]] as const)
      : (['Operation', `Operation[types.${response.type}]`, [method, url]] as const)
  const callArguments = [...first.map((text) => JSON.stringify(text)), ...request]
  return `
def ${toSnakeCase(operationId)}(${signature.join(', ')}) -> ${result}:
    """${summary}."""
    return ${kind}(
${callArguments.map((argument) => `        ${argument},\n`).join('')}    )
`
}

type Response = { kind: 'json'; type: string } | { kind: 'file'; contentType: string }

function describeResponse({ operationId, responses }: Operation): Response {
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  const json = content['application/json']
  if (json) return { kind: 'json', type: json.schema.$ref?.split('/').at(-1) ?? `${upperFirst(operationId)}Response` }
  const [contentType] = Object.keys(content)
  if (contentType === undefined) throw new Error(`${operationId} has no response with content`)
  return { kind: 'file', contentType }
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const toSnakeCase = (text: string) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
