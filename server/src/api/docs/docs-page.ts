/** Renders the pages under `/docs`: each page of the docs folder, and the index. */
import { dirname } from 'node:path/posix'
import { type Html, html } from '../../api-reference/html.ts'
import { pageLayout } from '../../api-reference/page-layout.ts'
import { createLinkResolver, docsPagePath, docsPageUrl, indexPageName } from './docs-links.ts'
import type { DocsFiles } from './read-docs.ts'
import { type RenderedMarkdown, renderDocsMarkdownAsHtml } from './render-docs-markdown.ts'

interface DocsPage extends RenderedMarkdown {
  readonly name: string
  readonly title: string
}

export interface RenderedDocs {
  /** HTML by path below `/docs`, for example `operations/backup`. The path of the index is empty. */
  readonly pages: ReadonlyMap<string, string>
  readonly notFound: string
}

export function renderDocs(files: DocsFiles, repositoryUrl: string | undefined): RenderedDocs {
  const all = [...files.pages].map(([name, markdown]): DocsPage => {
    const rendered = renderDocsMarkdownAsHtml(markdown, createLinkResolver(files, name, repositoryUrl))
    return { ...rendered, name, title: rendered.title ?? name }
  })
  const pages = all.filter(({ name }) => name !== rootName).toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
  return {
    pages: new Map([
      ['', renderGeneratedIndex(pages)],
      ...all.map((page) => [docsPagePath(page.name), renderPage(page, pages)] as const),
    ]),
    notFound: renderNotFound(pages),
  }
}

const rootName = indexPageName('.')

const renderPage = (page: DocsPage, pages: readonly DocsPage[]) =>
  docsLayout(page.title, pages, { current: page, main: html`<div class="prose">${page.body}</div>` })

const renderGeneratedIndex = (pages: readonly DocsPage[]) =>
  docsLayout('Documentation', pages, { main: html`<div class="prose"><h1>Documentation</h1>${pageList(pages)}</div>` })

const renderNotFound = (pages: readonly DocsPage[]) =>
  docsLayout('Page not found', pages, {
    main: html`<div class="prose"><h1>Page not found</h1>
<p>There is no page at this URL. These are all pages of the documentation.</p>
${pageList(pages)}</div>`,
  })

/** All pages, with those of a folder below its index. */
function pageList(pages: readonly DocsPage[], current?: DocsPage): Html {
  const names = new Set(pages.map(({ name }) => name))
  const listBelow = (parent: string): Html | string => {
    const children = pages.filter(({ name }) => findParent(name, names) === parent)
    if (children.length === 0) return ''
    return html`<ul>${children.map((page) => html`\n<li>${pageLink(page, current)}${listBelow(page.name)}</li>`)}
</ul>`
  }
  return html`${listBelow(rootName)}`
}

/** The name of the index of the nearest folder that has one. */
function findParent(name: string, names: ReadonlySet<string>): string {
  const folder = dirname(name)
  if (folder === '.') return rootName
  const index = indexPageName(folder)
  return name !== index && names.has(index) ? index : findParent(folder, names)
}

const pageLink = ({ name, title }: DocsPage, current?: DocsPage) =>
  name === current?.name
    ? html`<a href="${docsPageUrl(name)}" aria-current="page">${title}</a>`
    : html`<a href="${docsPageUrl(name)}">${title}</a>`

function docsLayout(
  title: string,
  pages: readonly DocsPage[],
  { current, main }: { current?: DocsPage; main: Html },
): string {
  const sections = current?.sections ?? []
  return pageLayout({
    title,
    contentsLabel: 'Contents',
    contents: html`<ul id="contents">
${
  sections.length > 0
    ? html`<li><a href="#content">On this page</a>
<ul>${sections.map((section) => html`\n<li><a href="#${section.id}">${section.title}</a></li>`)}
</ul></li>`
    : ''
}
<li><a href="/docs">Documentation</a>
${pageList(pages, current)}</li>
<li><a href="/reference">API reference</a></li>
<li><a href="/errors">Errors</a></li>
</ul>`,
    main,
  })
}
