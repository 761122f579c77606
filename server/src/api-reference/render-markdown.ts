/** OpenAPI descriptions are Markdown. Ours have only paragraphs and `code` spans, so only these are rendered. */
import { type Html, html } from './html.ts'

export const renderMarkdown = (text: string | undefined): Html[] =>
  (text ?? '')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${renderCodeSpans(paragraph.trim())}</p>`)

export const renderCodeSpans = (text: string | undefined): Html[] =>
  (text ?? '').split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
