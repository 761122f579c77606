/** Renders the OpenAPI document as a page for people. */
import { problemDefinitions } from '../platform/http/problem.ts'
import { errorPagePath, operationAnchor, schemaAnchor, tagAnchor } from './anchors.ts'
import { findExampleBaseUrl } from './curl-example.ts'
import { fieldTable, listFields } from './field-table.ts'
import { type Html, html, joinHtml } from './html.ts'
import {
  type Endpoint,
  listEndpoints,
  literalValues,
  type OpenApiDocument,
  resolveSchema,
  toSchemaObject,
} from './openapi-document.ts'
import { operationSection, operationTitle } from './operation-section.ts'
import { pageLayout } from './page-layout.ts'
import { renderCodeSpans, renderMarkdown } from './render-markdown.ts'
import { constraintLabels, typeLabel } from './schema-labels.ts'

/** The operations of one tag, in the order of the document. */
interface Group {
  readonly name: string
  readonly description: string | undefined
  readonly calls: readonly Endpoint[]
}

export function renderReferencePage(document: OpenApiDocument): string {
  const { version, description } = document.info
  const groups = groupsOf(document)
  const schemas = Object.keys(document.components?.schemas ?? {})
  const codes = problemCodesOf(document)
  return pageLayout({
    title: 'API reference',
    contents: contents(groups, schemas, codes),
    main: html`<h1>API reference</h1>
<p class="version">Version ${version} · <a href="/openapi.json">OpenAPI description</a></p>
<div class="lead">${renderMarkdown(description)}</div>
${authentication(document)}
${groups.map((group) => groupSection(document, group))}
${codes.length > 0 ? errorSection(codes) : ''}
${schemas.length > 0 ? schemaSections(document) : ''}`,
  })
}

function groupsOf(document: OpenApiDocument): Group[] {
  const calls = Map.groupBy(listEndpoints(document), ({ operation }) => operation.tags?.[0] ?? 'Other')
  const described = new Map((document.tags ?? []).map(({ name, description }) => [name, description]))
  const names = new Set([...described.keys(), ...calls.keys()])
  return [...names].flatMap((name) => {
    const tagged = calls.get(name)
    return tagged ? [{ name, description: described.get(name), calls: tagged }] : []
  })
}

/** The target of the link in the header is inside the collapsible list, because browsers expand a list that a link leads into. */
function contents(groups: readonly Group[], schemas: readonly string[], codes: readonly string[]): Html {
  return html`<ul id="contents">
<li><a href="#authentication">Authentication</a></li>
${groups.map(
  ({ name, calls }) => html`<li><a href="#${tagAnchor(name)}">${name}</a>
<ul>${calls.map(
    (call) => html`
<li><a href="#${operationAnchor(call)}">${operationTitle(call)} <span class="method" data-method="${call.method}">${call.method}</span></a></li>`,
  )}
</ul></li>
`,
)}
${codes.length > 0 ? html`<li><a href="#errors">Errors</a></li>` : ''}
${
  schemas.length > 0
    ? html`<li><a href="#schemas">Schemas</a>
<ul>${schemas.map(
        (name) => html`
<li><a href="#${schemaAnchor(name)}">${name}</a></li>`,
      )}
</ul></li>`
    : ''
}
</ul>`
}

function authentication(document: OpenApiDocument): Html {
  const schemes = Object.values(document.components?.securitySchemes ?? {})
  const isBearer = schemes.some(({ type, scheme }) => type === 'http' && scheme?.toLowerCase() === 'bearer')
  const variables = [
    ...(findExampleBaseUrl(document) === '$COLOPHON_URL' ? ['export COLOPHON_URL=https://colophon.example.com'] : []),
    'export COLOPHON_API_KEY=colophon_…',
  ]
  return html`
<section aria-labelledby="authentication">
<h2 id="authentication"><a href="#authentication">Authentication</a></h2>
${schemes.map(({ description }) => renderMarkdown(description))}
${isBearer ? html`<p>Send an API key with each request, in the header <code>Authorization: Bearer $COLOPHON_API_KEY</code>.</p>` : ''}
<p>The examples on this page use these variables. Replace the IDs in braces, like <code>{projectId}</code>, with your own.</p>
<pre tabindex="0" role="group" aria-label="Variables of the examples"><code>${variables.join('\n')}</code></pre>
</section>
`
}

const groupSection = (document: OpenApiDocument, { name, description, calls }: Group) => html`
<section aria-labelledby="${tagAnchor(name)}">
<h2 id="${tagAnchor(name)}"><a href="#${tagAnchor(name)}">${name}</a></h2>
${renderMarkdown(description)}
${calls.map((call) => operationSection(document, call))}
</section>
`

function problemCodesOf(document: OpenApiDocument): string[] {
  const { code } = toSchemaObject(document.components?.schemas?.Problem).properties ?? {}
  return literalValues(resolveSchema(document, code)).map(String)
}

const knownCodes: Readonly<Partial<Record<string, { status: number; meaning: string }>>> = problemDefinitions

function errorSection(codes: readonly string[]): Html {
  const rows = codes.map((code) => {
    const { status, meaning } = knownCodes[code] ?? {}
    return html`
<tr role="row"><th scope="row" role="rowheader"><a href="${errorPagePath(code)}"><code>${code}</code></a></th><td role="cell">${status}</td><td role="cell" class="description">${renderCodeSpans(meaning)}</td></tr>`
  })
  return html`
<section aria-labelledby="errors">
<h2 id="errors"><a href="#errors">Errors</a></h2>
<p>Every error response is a ${typeLabel({ $ref: '#/components/schemas/Problem' })}, sent as <code>application/problem+json</code>. Its <code>code</code> is one of these. Follow a code to see what to do.</p>
<table class="codes" role="table">
<caption class="unseen">Error codes</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Code</th><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">Meaning</th></tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>
</section>
`
}

function schemaSections(document: OpenApiDocument): Html {
  const sections = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
    const fields = listFields(schema)
    const limits = constraintLabels(schema)
    return html`
<section class="schema" aria-labelledby="${schemaAnchor(name)}">
<h3 id="${schemaAnchor(name)}"><a href="#${schemaAnchor(name)}">${name}</a></h3>
${renderMarkdown(toSchemaObject(schema).description)}
${fields.length > 0 ? fieldTable(`Fields of ${name}`, fields) : html`<p class="type">${typeLabel(schema)} <span class="limits">${joinHtml(limits, ', ')}</span></p>`}
</section>
`
  })
  return html`
<section aria-labelledby="schemas">
<h2 id="schemas"><a href="#schemas">Schemas</a></h2>
${sections}
</section>
`
}
