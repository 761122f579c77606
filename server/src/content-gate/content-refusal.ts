import type { ActiveContentKind } from './active-content.ts'

export type ContentRefusalCode =
  | 'active_content'
  | 'unsafe_navigation'
  | 'active_svg'
  | 'hidden_character'
  | 'secret'
  | 'not_text'
  | 'inspection_failed'

/** These are visible in a diff. Invisible characters are not, and a secret must not be published by anyone. */
const approvableCodes = new Set(['active_content', 'unsafe_navigation', 'active_svg'])

/** If more are found than are listed, the rest of the result has not been inspected. */
export const maxListedRefusals = 20

/** Whether a person may approve a result, if the project holds such results. */
export const canBeApproved = (refusals: readonly { code: string }[]): boolean =>
  refusals.length < maxListedRefusals && refusals.every(({ code }) => approvableCodes.has(code))

/** Why the contents of a file are refused. The agent can act on it: it says where, and what. */
export interface ContentRefusal {
  code: ContentRefusalCode
  path: string
  /** Undefined: the refusal concerns the whole file. */
  line?: number | undefined
  /** What was found, on one line. Secrets are masked. */
  text: string
  kind?: ActiveContentKind
}
