/** Plain HTML pages for people and for the browsers of proofs, without scripts and styles. */
import type { Account } from '../state.ts'

/** A document, a redirect, or data. */
export type PageResponse =
  | { kind: 'html'; status: number; html: string; cookie?: string }
  | { kind: 'redirect'; location: string; cookie?: string }
  | { kind: 'data'; contentType: string; text: string }

export interface PageCall {
  url: URL
  method: string
  /** Fields of the form. Empty for GET. */
  form: URLSearchParams
  /** The signed-in account. */
  user: Account | undefined
  accept: string
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = string | number | Html | readonly Html[]

/** Escapes inserted values, except HTML. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  const render = (piece: Piece | undefined): string => {
    if (piece === undefined) return ''
    if (piece instanceof Html) return piece.text
    if (Array.isArray(piece)) return piece.map((item: Html) => item.text).join('')
    return String(piece).replace(/[&<>"']/g, (character) => entities[character] ?? '')
  }
  return new Html(strings.map((text, index) => text + render(pieces[index])).join(''))
}

export function page(title: string, body: Html, status = 200): PageResponse {
  const document = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`
  return { kind: 'html', status, html: document.text }
}

export const redirect = (location: string): PageResponse => ({ kind: 'redirect', location })

export const pageNotFound = (): PageResponse =>
  page('Page not found', html`<p>This is not the web page you are looking for.</p>`, 404)

/** Redirects to the sign-in page, which leads back to the requested page. */
export const redirectToSignIn = ({ url }: PageCall): PageResponse =>
  redirect(`/login?${new URLSearchParams({ return_to: url.pathname + url.search })}`)

/** Adds query parameters to a URL. Null values are omitted. */
export function withQuery(address: string, query: Record<string, string | null>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}
