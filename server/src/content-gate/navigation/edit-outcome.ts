/** What a comparison of two versions of a navigation file returns. */

/** What is wrong with an edit. The agent reads it and can undo it. */
export interface NavigationProblem {
  text: string
  /** Undefined: the problem concerns the whole file. */
  line: number | undefined
}

export interface NavigationEdit {
  path: string
  /** Undefined: the file is new. */
  before: string | undefined
  after: string
}

/** The strings of a navigation, before and after. `line` is that of the string in the new file. */
export interface NavigationStrings {
  before: ReadonlySet<string>
  after: readonly { text: string; isKey: boolean; line: number }[]
}

export type EditOutcome = { problem: NavigationProblem } | { strings: NavigationStrings }

export const editProblem = (text: string, line?: number): EditOutcome => ({ problem: { text, line } })
