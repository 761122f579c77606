import { STATUS_CODES } from 'node:http'
import { operationAnchor } from './anchors.ts'
import { curlExample } from './curl-example.ts'
import { describeAccess } from './describe-access.ts'
import { fieldTable, listFields } from './field-table.ts'
import { type Html, html } from './html.ts'
import {
  type ContentByMediaType,
  type Endpoint,
  type OpenApiDocument,
  type Operation,
  type ResponseObject,
  resolveHeader,
} from './openapi-document.ts'
import { renderCodeSpans, renderMarkdown } from './render-markdown.ts'
import { typeLabel } from './schema-labels.ts'

export function operationSection(document: OpenApiDocument, call: Endpoint): Html {
  const { method, path, operation } = call
  const anchor = operationAnchor(call)
  return html`
<section class="operation" aria-labelledby="${anchor}">
<h3 id="${anchor}"><a href="#${anchor}">${operationTitle(call)}</a></h3>
<p class="route"><span class="method" data-method="${method}">${method}</span> ${breakablePath(path)}</p>
<p class="access"><span class="label">Access</span> ${describeAccess(operation)}${operation.deprecated ? html` <span class="deprecated">Deprecated</span>` : ''}</p>
${renderMarkdown(operation.description)}
<pre tabindex="0" role="group" aria-label="Example request: ${method} ${path}"><code>${curlExample(document, call)}</code></pre>
${parameterSection(operation)}
${bodySection(operation)}
${responseSection(document, operation)}
</section>
`
}

export const operationTitle = ({ method, path, operation }: Endpoint) => operation.summary ?? `${method} ${path}`

/** A path can break after a slash, so that small screens do not scroll sideways. */
const breakablePath = (path: string) => html`<code>${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}</code>`

function parameterSection({ parameters = [] }: Operation): Html {
  if (parameters.length === 0) return html``
  const fields = parameters.map(({ name, in: location, schema = true, required = false, description }) => ({
    name,
    location,
    schema,
    required,
    description,
  }))
  return html`<h4>Parameters</h4>
${fieldTable('Parameters', fields)}`
}

function bodySection({ requestBody }: Operation): Html {
  if (!requestBody) return html``
  return html`<h4>Request body${requestBody.required ? '' : html` <span class="optional">optional</span>`}</h4>
${renderMarkdown(requestBody.description)}
${contentBlocks('Fields of the request body', requestBody.content)}`
}

function responseSection(document: OpenApiDocument, { responses = {} }: Operation): Html {
  const entries = Object.entries(responses)
  const isError = ([status]: [string, ResponseObject]) => /^([45]|default)/.test(status)
  const errors = entries.filter(isError)
  return html`<h4>Responses</h4>
${entries.filter((entry) => !isError(entry)).map(([status, response]) => successBlock(document, status, response))}
${errors.length > 0 ? errorTable(errors) : ''}`
}

function successBlock(document: OpenApiDocument, status: string, response: ResponseObject): Html {
  const { description, headers = {}, content } = response
  const headerFields = Object.entries(headers).map(([name, header]) => {
    const { schema = true, required = false, description } = resolveHeader(document, header)
    return { name, location: 'header', schema, required, description }
  })
  return html`
<div class="response">
<p><span class="status">${statusWithName(status)}</span> ${renderCodeSpans(description)}</p>
${headerFields.length > 0 ? fieldTable(`Headers of the response ${status}`, headerFields) : ''}
${contentBlocks(`Fields of the response ${status}`, content)}
</div>`
}

function contentBlocks(caption: string, content: ContentByMediaType = {}): Html[] {
  return Object.entries(content).map(([mediaType, body]) => {
    const fields = listFields(body.schema ?? true)
    return html`${mediaLine([mediaType, body])}
${fields.length > 0 ? fieldTable(caption, fields) : ''}${exampleBlock(body.example)}`
  })
}

/** Collapsed, because examples are long and many operations share theirs. */
const exampleBlock = (example: unknown) =>
  example === undefined
    ? ''
    : html`
<details class="example"><summary>Example</summary>
<pre tabindex="0" role="group" aria-label="Example body"><code>${JSON.stringify(example, null, 2)}</code></pre>
</details>`

const mediaLine = ([mediaType, { schema = true }]: [string, ContentByMediaType[string]]) =>
  html`<p class="media"><code>${mediaType}</code> ${typeLabel(schema)}</p>`

const statusWithName = (status: string) => [status, STATUS_CODES[status]].join(' ').trim()

function errorTable(errors: readonly [status: string, ResponseObject][]): Html {
  const bodies = errors.flatMap(([, { content = {} }]) => Object.entries(content).map(mediaLine))
  const rows = errors.map(
    ([status, { description }]) => html`
<tr role="row"><th scope="row" role="rowheader">${statusWithName(status)}</th>
<td role="cell" class="description">${renderCodeSpans(description)}</td></tr>`,
  )
  return html`<h4>Errors</h4>
${[...new Map(bodies.map((body) => [body.text, body])).values()]}
<table class="errors" role="table">
<caption class="unseen">Errors</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">Codes</th></tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>
`
}
