/** Descriptions are Markdown by OpenAPI's rules. We write only paragraphs and `code` spans, so only these are read. */
import { type Html, html } from './html.ts'

export const prose = (text: string | undefined): Html[] =>
  (text ?? '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${inlineProse(paragraph.trim())}</p>`)

export const inlineProse = (text: string | undefined): Html[] =>
  (text ?? '').split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
