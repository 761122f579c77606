/** Finds prompts to `@colophon` in pull request comments, which are Markdown. */

/** Does not match inside an email address, a longer name or a path. Includes the comma or colon of a direct address. */
const mention = /(?:^ {0,3}|,? ?(?<![\w@/.-]))@colophon(?![\w-]|[./]\w)(?:(?<=^ {0,3}@colophon)[,:;]? ?)?/gi
const codeSpan = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g
const fence = /^ {0,3}(`{3,}|~{3,})/
const quote = /^ {0,3}>/

/**
 * Returns the prompt in a comment: its whole text without the mention. Undefined: the comment does not mention `@colophon`, only
 * mentions it in a quote, in code or in an HTML comment, or has no other text.
 */
export function extractPromptFromComment(text: string): string | undefined {
  let isMentioned = false
  let openFence: string | undefined
  const lines = text
    .replaceAll('\0', '') // PostgreSQL rejects NUL and lone surrogates
    .toWellFormed()
    .replaceAll(/<!--.*?(?:-->|$)/gs, '')
    .split(/\r?\n/)
    .map((line) => {
      const fenceMarker = fence.exec(line)?.[1]
      if (openFence !== undefined) {
        if (fenceMarker?.startsWith(openFence)) openFence = undefined
        return line
      }
      openFence = fenceMarker
      if (fenceMarker !== undefined || quote.test(line)) return line
      const stripped = removeMention(line)
      isMentioned ||= stripped !== line
      return stripped
    })
  const prompt = lines.join('\n').trim()
  return isMentioned && prompt !== '' ? prompt : undefined
}

function removeMention(line: string): string {
  const codeSpans = [...line.matchAll(codeSpan)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }))
  return line.replaceAll(mention, (match, position: number) =>
    codeSpans.some(({ start, end }) => position >= start && position < end) ? match : '',
  )
}
