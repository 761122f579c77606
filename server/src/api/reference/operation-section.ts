import { STATUS_CODES } from 'node:http'
import { whoMayCall } from './access.ts'
import { operationAnchor } from './anchors.ts'
import { curlExample } from './curl-example.ts'
import { fieldsOf, fieldTable } from './field-table.ts'
import { type Html, html } from './html.ts'
import type { Answer, Call, Content, OpenApiDocument, Operation } from './openapi-document.ts'
import { inlineProse, prose } from './prose.ts'
import { typeInWords } from './schema-words.ts'

export function operationSection(document: OpenApiDocument, call: Call): Html {
  const { method, path, operation } = call
  const anchor = operationAnchor(call)
  return html`
<section class="operation" aria-labelledby="${anchor}">
<h3 id="${anchor}"><a href="#${anchor}">${operationTitle(call)}</a></h3>
<p class="route"><span class="method" data-method="${method}">${method}</span> ${breakablePath(path)}</p>
<p class="access"><span class="label">Who may call it</span> ${whoMayCall(operation)}${operation.deprecated ? html` <span class="deprecated">Deprecated</span>` : ''}</p>
${prose(operation.description)}
<pre tabindex="0" role="group" aria-label="Example of ${method} ${path}"><code>${curlExample(document, call)}</code></pre>
${parameterSection(operation)}
${bodySection(operation)}
${responseSection(operation)}
</section>
`
}

export const operationTitle = ({ method, path, operation }: Call) => operation.summary ?? `${method} ${path}`

/** A path may break after a slash, so that a phone does not have to scroll sideways. */
const breakablePath = (path: string) => html`<code>${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}</code>`

function parameterSection({ parameters = [] }: Operation): Html {
  if (parameters.length === 0) return html``
  const fields = parameters.map(({ name, in: place, schema = true, required = false, description }) => ({
    name,
    place,
    schema,
    required,
    description,
  }))
  return html`<h4>Parameters</h4>
${fieldTable('Parameters', fields)}`
}

function bodySection({ requestBody }: Operation): Html {
  if (!requestBody) return html``
  return html`<h4>Body${requestBody.required ? '' : html` <span class="optional">optional</span>`}</h4>
${prose(requestBody.description)}
${contentBlocks('Fields of the body', requestBody.content)}`
}

function responseSection({ responses = {} }: Operation): Html {
  const answers = Object.entries(responses)
  const isError = ([status]: [string, Answer]) => /^([45]|default)/.test(status)
  const errors = answers.filter(isError)
  return html`<h4>Answers</h4>
${answers.filter((response) => !isError(response)).map(([status, response]) => successBlock(status, response))}
${errors.length > 0 ? errorTable(errors) : ''}`
}

function successBlock(status: string, { description, headers = {}, content }: Answer): Html {
  const headerFields = Object.entries(headers).map(([name, header]) => ({
    name,
    place: 'header',
    schema: header.schema ?? true,
    required: header.required ?? false,
    description: header.description,
  }))
  return html`
<div class="answer">
<p><span class="status">${statusWithName(status)}</span> ${inlineProse(description)}</p>
${headerFields.length > 0 ? fieldTable(`Headers of the answer ${status}`, headerFields) : ''}
${contentBlocks(`Fields of the answer ${status}`, content)}
</div>`
}

function contentBlocks(caption: string, content: Content = {}): Html[] {
  return Object.entries(content).map(([mediaType, body]) => {
    const fields = fieldsOf(body.schema ?? true)
    return html`${mediaLine([mediaType, body])}
${fields.length > 0 ? fieldTable(caption, fields) : ''}`
  })
}

const mediaLine = ([mediaType, { schema = true }]: [string, Content[string]]) =>
  html`<p class="media"><code>${mediaType}</code> ${typeInWords(schema)}</p>`

const statusWithName = (status: string) => [status, STATUS_CODES[status]].join(' ').trim()

function errorTable(errors: readonly [status: string, Answer][]): Html {
  const bodies = errors.flatMap(([, { content = {} }]) => Object.entries(content).map(mediaLine))
  const rows = errors.map(
    ([status, { description }]) => html`
<tr role="row"><th scope="row" role="rowheader">${statusWithName(status)}</th>
<td role="cell" class="description">${inlineProse(description)}</td></tr>`,
  )
  return html`<h4>Errors</h4>
${[...new Map(bodies.map((body) => [body.text, body])).values()]}
<table class="errors" role="table">
<caption class="unseen">Errors</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">When</th></tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>
`
}
