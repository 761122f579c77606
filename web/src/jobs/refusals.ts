/** Why changes were refused, or have to be approved. The server describes each reason on one line. */
import type { AgentJob } from '@colophon/sdk'

export interface Refusal {
  /** The file, with the line if it is known. Null: it is about the result as a whole. */
  location: string | null
  reason: string
  /** The text in the file that it is about. */
  found: string | null
}

type ApprovalReason = NonNullable<AgentJob['approval']>['reasons'][number]

/** From the message of a turn that failed with `result_refused`. Empty if it lists none. */
export function parseRefusals(message: string): Refusal[] {
  const [, list = ''] = /Refused: (.*)\.$/s.exec(message) ?? []
  return splitRefusals(list).map(parseRefusal)
}

export const toRefusal = ({ path, line, message }: ApprovalReason): Refusal => {
  const { reason, found } = parseRefusal(message)
  return { location: line === null ? path : `${path}:${line}`, reason, found }
}

/** The text that was found can contain the separator, too. It is in backticks, and each description ends with a code. */
function splitRefusals(list: string): string[] {
  const refusals: string[] = []
  let current = ''
  for (const part of list.split('; ')) {
    current = current === '' ? part : `${current}; ${part}`
    if (!isWhole(current)) continue
    refusals.push(current)
    current = ''
  }
  return current === '' ? refusals : [...refusals, current]
}

const code = / \([a-z0-9_]+\)$/

const isWhole = (text: string): boolean => code.test(text) && text.split('`').length % 2 === 1

/** Parses `docs/a.md:3: the reason: \`the text\` (the_code)`. */
function parseRefusal(description: string): Refusal {
  const [, text = '', found = null] = /^(.*?)(?:: `([^`]*)`)?$/s.exec(description.replace(code, '')) ?? []
  const separator = text.lastIndexOf(': ')
  if (separator === -1) return { location: null, reason: text, found }
  return { location: text.slice(0, separator), reason: text.slice(separator + 2), found }
}
