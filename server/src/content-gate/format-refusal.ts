import type { ChangeRefusal } from './allow-list/allow-list.ts'
import type { ContentRefusal } from './content-refusal.ts'
import { changeRefusalReasons } from './refusal-reasons.ts'

/** One line for people and for the agent: where, why, what, and the code. */
export function formatRefusal(
  { code, path, line, text }: { code: string; path: string; line?: number | undefined; text?: string | undefined },
  reason: string,
): string {
  const location = path === '' ? '' : `${path}${line === undefined ? '' : `:${line}`}: `
  return `${location}${reason}${text === undefined || text === '' ? '' : `: \`${text.replaceAll('`', "'")}\``} (${code})`
}

export const formatChangeRefusal = (refusal: ChangeRefusal | ContentRefusal): string =>
  formatRefusal(refusal, changeRefusalReasons[refusal.code])
