/** Known formats of credentials in text, by the rules of secretlint. */
import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'

export interface FoundSecret {
  /** Such as `found GitHub Token: ghp_***`. The secret is masked. */
  message: string
  line: number
}

/** Secrets that are split over lines are found as well: the text is also read without line breaks. */
export async function findSecrets(path: string, text: string): Promise<FoundSecret[]> {
  const found = await lint(path, text)
  if (found.length > 0) return found
  const joined = await lint(path, joinLines(text))
  return joined.map(({ message }) => ({ message: `${message} (split over lines)`, line: 1 }))
}

/** Without line breaks, list markers, quotes, plus signs and indentation between the parts of a string. */
const joinLines = (text: string): string =>
  text.replaceAll(/["'`]?\s*[\\+&.]?[^\S\n]*\r?\n[^\S\n]*(?:[-*+>][^\S\n]+)?["'`]?/g, '')

async function lint(path: string, content: string): Promise<FoundSecret[]> {
  const { messages } = await lintSource({
    source: { content, filePath: path, ext: '.txt', contentType: 'text' },
    options: {
      maskSecrets: true,
      noPhysicFilePath: true,
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] },
    },
  })
  return messages.map(({ message, loc }) => ({ message, line: loc.start.line }))
}
