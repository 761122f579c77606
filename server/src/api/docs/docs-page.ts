/** Renders the pages under `/docs`: each page of the docs folder, and the index. */
import { type Html, html } from '../../api-reference/html.ts'
import { pageLayout } from '../../api-reference/page-layout.ts'
import { createLinkResolver, docsPagePath, indexPageName } from './docs-links.ts'
import type { DocsFiles } from './read-docs.ts'
import { type RenderedMarkdown, renderDocsMarkdownAsHtml } from './render-docs-markdown.ts'

interface DocsPage extends RenderedMarkdown {
  readonly name: string
  readonly title: string
}

export interface RenderedDocs {
  readonly index: string
  /** HTML by page name. */
  readonly pages: ReadonlyMap<string, string>
  readonly notFound: string
}

export function renderDocs(files: DocsFiles, repositoryUrl: string | undefined): RenderedDocs {
  const resolveLink = createLinkResolver(files, repositoryUrl)
  const all = [...files.pages].map(([name, markdown]): DocsPage => {
    const rendered = renderDocsMarkdownAsHtml(markdown, resolveLink)
    return { ...rendered, name, title: rendered.title ?? name }
  })
  const pages = all
    .filter(({ name }) => name !== indexPageName)
    .toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
  const index = all.find(({ name }) => name === indexPageName)
  return {
    index: index ? renderPage(index, pages) : renderGeneratedIndex(pages),
    pages: new Map(pages.map((page) => [page.name, renderPage(page, pages)])),
    notFound: renderNotFound(pages),
  }
}

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

const pageList = (pages: readonly DocsPage[]) => html`<ul>
${pages.map((page) => html`<li>${pageLink(page)}</li>\n`)}</ul>`

const pageLink = ({ name, title }: DocsPage, current?: DocsPage) =>
  name === current?.name
    ? html`<a href="${docsPagePath(name)}" aria-current="page">${title}</a>`
    : html`<a href="${docsPagePath(name)}">${title}</a>`

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
<ul>${pages.map((page) => html`\n<li>${pageLink(page, current)}</li>`)}
</ul></li>
<li><a href="/reference">API reference</a></li>
<li><a href="/errors">Errors</a></li>
</ul>`,
    main,
  })
}
