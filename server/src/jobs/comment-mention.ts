/** A comment that speaks to us, as people write them on code hosts: in Markdown. */

/** Not in an address, a name or a path that only begins or ends like it. With the comma that calls us by name. */
const mention = /(?:^ {0,3}|,? ?(?<![\w@/.-]))@colophon(?![\w-]|[./]\w)(?:(?<=^ {0,3}@colophon)[,:;]? ?)?/gi
const codeSpan = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g
const fence = /^ {0,3}(`{3,}|~{3,})/
const quote = /^ {0,3}>/

/**
 * What it asks for: all of it but the mention. Undefined: we are not mentioned, or only in a quotation or in code, which is
 * about us and not to us; or nothing is asked for.
 */
export function askedInComment(text: string): string | undefined {
  let isMentioned = false
  let openFence: string | undefined
  const lines = text
    .replaceAll('\0', '') // which PostgreSQL does not take, nor halves of characters
    .toWellFormed()
    .replaceAll(/<!--.*?(?:-->|$)/gs, '')
    .split(/\r?\n/)
    .map((line) => {
      const mark = fence.exec(line)?.[1]
      if (openFence !== undefined) {
        if (mark?.startsWith(openFence)) openFence = undefined
        return line
      }
      openFence = mark
      if (mark !== undefined || quote.test(line)) return line
      const without = withoutMention(line)
      isMentioned ||= without !== line
      return without
    })
  const asked = lines.join('\n').trim()
  return isMentioned && asked !== '' ? asked : undefined
}

function withoutMention(line: string): string {
  const codes = [...line.matchAll(codeSpan)].map(({ index, 0: { length } }) => ({ from: index, to: index + length }))
  return line.replaceAll(mention, (found, at: number) =>
    codes.some(({ from, to }) => at >= from && at < to) ? found : '',
  )
}
