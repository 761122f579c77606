/** Renders the pages that explain error codes: those of API responses and those of jobs. A code can be both. */
import { STATUS_CODES } from 'node:http'
import { errorPagePath } from '../../api-reference/anchors.ts'
import { type Html, html } from '../../api-reference/html.ts'
import { pageLayout } from '../../api-reference/page-layout.ts'
import { renderCodeSpans } from '../../api-reference/render-markdown.ts'
import { turnErrorTexts } from '../../jobs/turn-errors.ts'
import { problemDefinitions } from '../../platform/http/problem.ts'

interface ErrorExplanation {
  readonly status?: number
  readonly title?: string
  readonly meaning: string
  readonly action: string
}

type Explanations = Readonly<Partial<Record<string, ErrorExplanation>>>

const apiErrors: Explanations = problemDefinitions
const jobErrors: Explanations = turnErrorTexts

export const errorCodes: readonly string[] = [...new Set([...Object.keys(apiErrors), ...Object.keys(jobErrors)])]

export function renderErrorPage(code: string): string {
  const apiError = apiErrors[code]
  const jobError = jobErrors[code]
  return errorLayout(
    code,
    html`<h1><code>${code}</code></h1>
${apiError ? explanation('In an API response', apiErrorFacts(apiError), apiError) : ''}
${jobError ? explanation('In a job', html`<span class="label">Field</span> <code>error.code</code> of the job and of the message`, jobError) : ''}`,
  )
}

export const renderErrorList = () =>
  errorLayout(
    'Errors',
    html`<h1>Errors</h1>
<p class="lead">The error codes of the API and of jobs, with their meaning. Follow a code to see what to do.</p>
${errorTables()}`,
  )

export const renderUnknownError = (code: string) =>
  errorLayout(
    'Unknown error code',
    html`<h1>Unknown error code</h1>
<p class="lead">There is no error code <code>${code}</code>. These are all error codes.</p>
${errorTables()}`,
  )

const apiErrorFacts = ({ status, title }: ErrorExplanation) =>
  html`<span class="label">Status</span> ${statusWithName(status)} · <span class="label">Title</span> ${title}`

function explanation(heading: string, facts: Html, { meaning, action }: ErrorExplanation): Html {
  return html`
<section>
<h2>${heading}</h2>
<p class="access">${facts}</p>
<h3>Meaning</h3>
<p>${renderCodeSpans(meaning)}</p>
<h3>What to do</h3>
<p>${renderCodeSpans(action)}</p>
</section>
`
}

const errorTables = () => html`
<section aria-labelledby="api-errors">
<h2 id="api-errors">API errors</h2>
<p>The <code>code</code> of an error response.</p>
${errorTable('API errors', apiErrors)}
</section>
<section aria-labelledby="job-errors">
<h2 id="job-errors">Job errors</h2>
<p>The <code>error.code</code> of a job or a message whose turn failed.</p>
${errorTable('Job errors', jobErrors)}
</section>
`

function errorTable(caption: string, errors: Explanations): Html {
  const rows = Object.entries(errors).map(
    ([code, error]) => html`
<tr role="row"><th scope="row" role="rowheader">${codeLink(code)}</th><td role="cell">${error?.status}</td><td role="cell" class="description">${renderCodeSpans(error?.meaning)}</td></tr>`,
  )
  return html`<table class="codes" role="table">
<caption class="unseen">${caption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Code</th><th scope="col" role="columnheader">Status</th><th scope="col" role="columnheader">Meaning</th></tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>
`
}

const codeLink = (code: string) => html`<a href="${errorPagePath(code)}"><code>${code}</code></a>`

function errorLayout(title: string, main: Html): string {
  const group = (name: string, errors: Explanations) => html`<li><a href="/errors">${name}</a>
<ul>${Object.keys(errors).map(
    (code) => html`
<li>${codeLink(code)}</li>`,
  )}
</ul></li>
`
  return pageLayout({
    title,
    contentsLabel: 'All error codes',
    contents: html`<ul id="contents">
<li><a href="/reference">API reference</a></li>
${group('API errors', apiErrors)}
${group('Job errors', jobErrors)}
</ul>`,
    main,
  })
}

const statusWithName = (status = 0) => `${status} ${STATUS_CODES[status] ?? ''}`.trim()
