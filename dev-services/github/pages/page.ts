/** Plain HTML that people and browsers of proofs can read: no scripts, no styles. */
import type { Account } from '../state.ts'

/** Of a page: a document, or the way to another. */
export type PageResponse =
  | { kind: 'html'; status: number; html: string; cookie?: string }
  | { kind: 'redirect'; location: string; cookie?: string }
  | { kind: 'data'; contentType: string; text: string }

export interface PageCall {
  url: URL
  method: string
  /** Fields of a form; of a GET none. */
  form: URLSearchParams
  /** Whoever is signed in. */
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

/** What is put in is escaped, unless it is HTML itself. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  const shown = (piece: Piece | undefined): string => {
    if (piece === undefined) return ''
    if (piece instanceof Html) return piece.text
    if (Array.isArray(piece)) return piece.map((one: Html) => one.text).join('')
    return String(piece).replace(/[&<>"']/g, (character) => entities[character] ?? '')
  }
  return new Html(strings.map((text, at) => text + shown(pieces[at])).join(''))
}

export function page(title: string, body: Html, status = 200): PageResponse {
  const whole = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`
  return { kind: 'html', status, html: whole.text }
}

export const redirect = (location: string): PageResponse => ({ kind: 'redirect', location })

export const pageNotFound = (): PageResponse =>
  page('Page not found', html`<p>This is not the web page you are looking for.</p>`, 404)

/** To the sign-in page, and back to where one wanted to go. */
export const signInFirst = ({ url }: PageCall): PageResponse =>
  redirect(`/login?${new URLSearchParams({ return_to: url.pathname + url.search })}`)

/** An address of somebody else's, with more in its query; what is null is left out. */
export function withQuery(address: string, query: Record<string, string | null>): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}
