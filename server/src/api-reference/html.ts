/** A template tag that escapes every value that is not `Html` already, so that escaping cannot be forgotten. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Html | string | number | undefined | readonly Part[]

export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: literals }, ...parts.map(textOf)))
}

function textOf(part: Part): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(textOf).join('')
  return escapeHtml(String(part))
}

export const joinHtml = (parts: readonly Part[], separator: string): Part[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]))

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
