/** A request to copy, with the example of the body schema, or else with only the required fields and valid values. */
import { needsAuthentication } from './describe-access.ts'
import { exampleValue } from './example-value.ts'
import type { ContentByMediaType, Endpoint, OpenApiDocument, Operation } from './openapi-document.ts'

const maxLineCharacters = 72

export function curlExample(document: OpenApiDocument, { method, path, operation }: Endpoint): string {
  const body = exampleBody(document, operation.requestBody?.content)
  const impliedMethod = body === undefined ? 'GET' : 'POST'
  return [
    `curl${method === impliedMethod ? '' : ` -X ${method}`} ${urlOf(document, path, operation)}`,
    ...(needsAuthentication(operation) ? ['-H "Authorization: Bearer $COLOPHON_API_KEY"'] : []),
    ...requiredParameters(document, operation, 'header').map(
      ([name, value]) => `-H ${singleQuoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined
      ? []
      : [`-H ${singleQuoted(`Content-Type: ${body.mediaType}`)}`, `-d ${singleQuoted(body.text)}`]),
  ].join(' \\\n  ')
}

/** The server that the document names, or else the variable that the page introduces. */
export const findExampleBaseUrl = ({ servers }: OpenApiDocument): string =>
  servers?.find(({ url }) => /^https?:/.test(url))?.url.replace(/\/$/, '') ?? '$COLOPHON_URL'

function urlOf(document: OpenApiDocument, path: string, operation: Operation): string {
  const query = requiredParameters(document, operation, 'query').map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  )
  const target = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return `"${findExampleBaseUrl(document)}${target.replace(/[\\"`$]/g, '\\$&')}"` // double quotes, so that the shell expands the variable
}

function requiredParameters(document: OpenApiDocument, { parameters = [] }: Operation, location: 'header' | 'query') {
  return parameters
    .filter((parameter) => parameter.in === location && parameter.required)
    .map(({ name, schema }): [name: string, value: string] => [name, String(exampleValue(document, schema ?? true))])
}

function exampleBody(
  document: OpenApiDocument,
  content: ContentByMediaType = {},
): { mediaType: string; text: string } | undefined {
  const firstContent = Object.entries(content)[0]
  if (!firstContent) return undefined
  const [mediaType, { schema = true, example }] = firstContent
  const value = example ?? exampleValue(document, schema)
  const oneLine = JSON.stringify(value)
  return {
    mediaType,
    text: oneLine.length > maxLineCharacters ? JSON.stringify(value, null, 2).replaceAll('\n', '\n  ') : oneLine,
  }
}

const singleQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
