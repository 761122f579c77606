/**
 * The OpenAPI document as a page for people. Made on the server, without a script and without a word from another origin,
 * so that it can be served under the strictest Content-Security-Policy: `default-src 'none'; style-src 'self'; img-src 'self'`.
 */
import { problemCodes } from '../../platform/http/problem.ts'
import { operationAnchor, schemaAnchor, tagAnchor } from './anchors.ts'
import { baseUrl } from './curl-example.ts'
import { fieldsOf, fieldTable } from './field-table.ts'
import { type Html, html, joined } from './html.ts'
import { asObject, type Call, callsOf, literalsOf, type OpenApiDocument, resolve } from './openapi-document.ts'
import { operationSection, operationTitle } from './operation-section.ts'
import { prose } from './prose.ts'
import { limitsInWords, typeInWords } from './schema-words.ts'

/** Calls under one tag, as the document orders them. */
interface Group {
  readonly name: string
  readonly description: string | undefined
  readonly calls: readonly Call[]
}

export function renderReferencePage(document: OpenApiDocument): string {
  const { title, version, description } = document.info
  const groups = groupsOf(document)
  const schemas = Object.keys(document.components?.schemas ?? {})
  const codes = problemCodesOf(document)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#faf8f3" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#161513" media="(prefers-color-scheme: dark)">
<title>API reference · ${title}</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="/reference.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<div class="side">
<header>
<a class="wordmark" href="/">${mark}${title}</a>
<a class="to-contents" href="#contents">Contents</a>
</header>
${contents(groups, schemas, codes)}
</div>
<main id="content" tabindex="-1">
<h1>API reference</h1>
<p class="version">Version ${version} · <a href="/openapi.json">OpenAPI document</a></p>
<div class="lead">${prose(description)}</div>
${authentication(document)}
${groups.map((group) => groupSection(document, group))}
${codes.length > 0 ? problemSection(codes) : ''}
${schemas.length > 0 ? schemaSections(document) : ''}
</main>
</body>
</html>
`.text
}

/** A book's closing note was set in lines that taper to a point. */
const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 3h18M3 7.5h18M6 12h12M9 16.5h6M12 21h.01"/></svg>`

function groupsOf(document: OpenApiDocument): Group[] {
  const calls = Map.groupBy(callsOf(document), ({ operation }) => operation.tags?.[0] ?? 'Other')
  const described = new Map((document.tags ?? []).map(({ name, description }) => [name, description]))
  const names = new Set([...described.keys(), ...calls.keys()])
  return [...names].flatMap((name) => {
    const ofTag = calls.get(name)
    return ofTag ? [{ name, description: described.get(name), calls: ofTag }] : []
  })
}

/** The link to it stands inside what can be folded: browsers unfold what an address points into. */
function contents(groups: readonly Group[], schemas: readonly string[], codes: readonly string[]): Html {
  return html`<nav aria-label="Contents">
<details class="contents">
<summary>On this page</summary>
<ul id="contents">
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
${codes.length > 0 ? html`<li><a href="#problem-codes">Problem codes</a></li>` : ''}
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
</ul>
</details>
</nav>`
}

function authentication(document: OpenApiDocument): Html {
  const schemes = Object.values(document.components?.securitySchemes ?? {})
  const isBearer = schemes.some(({ type, scheme }) => type === 'http' && scheme?.toLowerCase() === 'bearer')
  const settings = [
    ...(baseUrl(document) === '$COLOPHON_URL' ? ['export COLOPHON_URL=https://colophon.example.com'] : []),
    'export COLOPHON_API_KEY=colophon_…',
  ]
  return html`
<section aria-labelledby="authentication">
<h2 id="authentication"><a href="#authentication">Authentication</a></h2>
${schemes.map(({ description }) => prose(description))}
${isBearer ? html`<p>Send it with each call as <code>Authorization: Bearer $COLOPHON_API_KEY</code>.</p>` : ''}
<p>The examples on this page need these, and your own ids for what stands in braces, like <code>{projectId}</code>:</p>
<pre tabindex="0" role="group" aria-label="Settings for the examples"><code>${settings.join('\n')}</code></pre>
</section>
`
}

const groupSection = (document: OpenApiDocument, { name, description, calls }: Group) => html`
<section aria-labelledby="${tagAnchor(name)}">
<h2 id="${tagAnchor(name)}"><a href="#${tagAnchor(name)}">${name}</a></h2>
${prose(description)}
${calls.map((call) => operationSection(document, call))}
</section>
`

function problemCodesOf(document: OpenApiDocument): string[] {
  const { code } = asObject(document.components?.schemas?.Problem).properties ?? {}
  return literalsOf(resolve(document, code)).map(String)
}

const knownCodes: Readonly<Partial<Record<string, { status: number; title: string }>>> = problemCodes

function problemSection(codes: readonly string[]): Html {
  const rows = codes.map((code) => {
    const { status, title } = knownCodes[code] ?? {}
    return html`
<tr role="row"><th scope="row" role="rowheader"><code>${code}</code></th><td role="cell">${status}</td><td role="cell" class="description">${title}</td></tr>`
  })
  return html`
<section aria-labelledby="problem-codes">
<h2 id="problem-codes"><a href="#problem-codes">Problem codes</a></h2>
<p>Every error is a ${typeInWords({ $ref: '#/components/schemas/Problem' })}, sent as <code>application/problem+json</code>. Its <code>code</code> is one of these:</p>
<table class="codes" role="table">
<caption class="unseen">Problem codes</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Code</th><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">Meaning</th></tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>
</section>
`
}

function schemaSections(document: OpenApiDocument): Html {
  const sections = Object.entries(document.components?.schemas ?? {}).map(([name, schema]) => {
    const fields = fieldsOf(schema)
    const limits = limitsInWords(schema)
    return html`
<section class="schema" aria-labelledby="${schemaAnchor(name)}">
<h3 id="${schemaAnchor(name)}"><a href="#${schemaAnchor(name)}">${name}</a></h3>
${prose(asObject(schema).description)}
${fields.length > 0 ? fieldTable(`Fields of ${name}`, fields) : html`<p class="type">${typeInWords(schema)} <span class="limits">${joined(limits, ', ')}</span></p>`}
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
