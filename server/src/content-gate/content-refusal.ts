import type { ActiveContentKind } from './active-content.ts'

export type ContentRefusalCode =
  | 'active_content'
  | 'unsafe_navigation'
  | 'active_svg'
  | 'hidden_character'
  | 'secret'
  | 'not_text'
  | 'inspection_failed'

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
