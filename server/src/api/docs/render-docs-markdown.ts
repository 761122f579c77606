/**
 * Renders a page of the docs. `marked` only parses the Markdown; every piece of text goes through the `html` tag, which
 * escapes it. HTML in the Markdown is therefore shown as text. Character references such as `&nbsp;` are not decoded.
 */
import GithubSlugger from 'github-slugger'
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { type Html, html } from '../../api-reference/html.ts'
import type { ResolveLink } from './docs-links.ts'

export interface RenderedMarkdown {
  /** The text of the first heading. */
  readonly title: string | undefined
  /** The headings of the second level. */
  readonly sections: readonly { readonly id: string; readonly title: string }[]
  readonly body: Html
}

export function renderDocsMarkdownAsHtml(markdown: string, resolveLink: ResolveLink): RenderedMarkdown {
  const tokens = lexer(markdown)
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const ids = headingIds(headings)
  return {
    title: headings[0] && plainText(headings[0].tokens),
    sections: headings
      .filter(({ depth }) => depth === 2)
      .map((heading) => ({ id: ids.get(heading) ?? '', title: plainText(heading.tokens) })),
    body: html`${renderTokens(tokens, { resolveLink, ids })}`,
  }
}

interface RenderContext {
  readonly resolveLink: ResolveLink
  readonly ids: ReadonlyMap<Token, string>
}

const renderTokens = (tokens: readonly Token[] | undefined, context: RenderContext): Html[] =>
  (tokens ?? []).map((token) => renderToken(token as MarkedToken, context))

function renderToken(token: MarkedToken, context: RenderContext): Html {
  const inner = () => renderTokens('tokens' in token ? token.tokens : [], context)
  switch (token.type) {
    case 'heading':
      return heading(token, inner(), context.ids.get(token))
    case 'paragraph':
      return html`<p>${inner()}</p>\n`
    case 'list':
      return list(token, context)
    case 'list_item':
      return html`<li>${inner()}</li>\n`
    case 'checkbox':
      return html`${token.checked ? '☑' : '☐'} `
    case 'table':
      return table(token, context)
    case 'code':
      return html`<pre tabindex="0" role="group" aria-label="Code"><code>${token.text}</code></pre>\n`
    case 'blockquote':
      return html`<blockquote>${inner()}</blockquote>\n`
    case 'hr':
      return html`<hr>\n`
    case 'link':
      return link(token, inner(), context)
    case 'image':
      return image(token, context)
    case 'strong':
      return html`<strong>${inner()}</strong>`
    case 'em':
      return html`<em>${inner()}</em>`
    case 'del':
      return html`<del>${inner()}</del>`
    case 'codespan':
      return html`<code>${token.text}</code>`
    case 'br':
      return html`<br>`
    case 'escape':
      return html`${token.text}`
    case 'text':
      return token.tokens ? html`${inner()}` : html`${token.text}`
    case 'html':
      return isHtmlComment(token.text) ? html`` : html`${token.text}`
    case 'space':
    case 'def':
      return html``
  }
}

function heading({ depth }: Tokens.Heading, inner: readonly Html[], id: string | undefined): Html {
  if (depth === 1) return html`<h1 id="${id}">${inner}</h1>\n`
  const tag = depth === 2 ? html`h2` : depth === 3 ? html`h3` : html`h4`
  return html`<${tag} id="${id}"><a href="#${id}">${inner}</a></${tag}>\n`
}

function list({ ordered, start, items }: Tokens.List, context: RenderContext): Html {
  const inner = renderTokens(items, context)
  return ordered ? html`<ol start="${start}">\n${inner}</ol>\n` : html`<ul>\n${inner}</ul>\n`
}

/** The stylesheet changes the display of tables on small screens, which removes their roles unless they are explicit. */
function table({ header, rows }: Tokens.Table, context: RenderContext): Html {
  const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => renderTokens(tokens, context))
  const headings = header.some(({ text }) => text !== '')
    ? html`<thead role="rowgroup"><tr role="row">${cells(header).map((cell) => html`<th scope="col" role="columnheader">${cell}</th>`)}</tr></thead>`
    : '' // Markdown requires the header row; pages leave it empty for tables without headings
  return html`<table role="table">
${headings}
<tbody role="rowgroup">${rows.map(
    (row) => html`
<tr role="row">${cells(row).map((cell) => html`<td role="cell">${cell}</td>`)}</tr>`,
  )}
</tbody>
</table>
`
}

function link({ href }: Tokens.Link, inner: readonly Html[], { resolveLink }: RenderContext): Html {
  const url = resolveLink(href)
  return url === undefined ? html`${inner}` : html`<a href="${url}">${inner}</a>`
}

/** The Content-Security-Policy allows images of the instance only. */
function image({ href, text }: Tokens.Image, { resolveLink }: RenderContext): Html {
  const url = resolveLink(href)
  return url?.startsWith('/') ? html`<img src="${url}" alt="${text}">` : html`${text}`
}

/** As GitHub creates them, so that the links in the Markdown work in both places. */
function headingIds(headings: readonly Tokens.Heading[]): ReadonlyMap<Token, string> {
  const slugger = new GithubSlugger()
  for (const id of ['content', 'contents']) slugger.slug(id) // ids of the page layout
  return new Map(headings.map((heading) => [heading, slugger.slug(plainText(heading.tokens).trim())]))
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html') return ''
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return 'text' in token ? String(token.text) : ''
    })
    .join('')
}

const isHtmlComment = (text: string) => /^<!--[\s\S]*-->\s*$/.test(text)
