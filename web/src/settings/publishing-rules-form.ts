import type { PublishingRules } from '@colophon/sdk'

/** The site generator has a card of its own. */
export type EditableRules = Omit<PublishingRules, 'siteGenerator'>

/** As typed: one path per line. */
export interface PublishingRulesForm extends Omit<EditableRules, 'furtherDocsFolders' | 'allowedPaths'> {
  furtherDocsFolders: string
  allowedPaths: string
}

export const toEditableRules = ({ siteGenerator: _, ...rules }: PublishingRules): EditableRules => rules

export const toPublishingRulesForm = (rules: EditableRules): PublishingRulesForm => ({
  furtherDocsFolders: rules.furtherDocsFolders.join('\n'),
  allowedPaths: rules.allowedPaths.join('\n'),
  activeContent: rules.activeContent,
  requireApproval: rules.requireApproval,
  fixFailedChecks: rules.fixFailedChecks,
})

/** Only what differs from the saved rules, so that the audit log names only that. */
export function findChangedRules(saved: EditableRules, form: PublishingRulesForm): Partial<EditableRules> {
  const edited: EditableRules = {
    furtherDocsFolders: parseFolders(form.furtherDocsFolders),
    allowedPaths: parsePaths(form.allowedPaths),
    activeContent: form.activeContent,
    requireApproval: form.requireApproval,
    fixFailedChecks: form.fixFailedChecks,
  }
  return Object.fromEntries(
    Object.entries(edited).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof EditableRules]),
    ),
  )
}

/** One path per line, as in the repository. A path that ends with a slash is a folder. */
export const parsePaths = (typed: string): string[] => toUnique(typed.split('\n').map(trimPath))

/** Like paths, without a slash at the end. */
export const parseFolders = (typed: string): string[] =>
  toUnique(parsePaths(typed).map((path) => path.replace(/\/$/, '')))

/** `..` is kept: the server rejects it, while without it the path would be another one. */
const trimPath = (line: string): string =>
  line
    .trim()
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '/')

const toUnique = (paths: readonly string[]): string[] => [...new Set(paths)].filter((path) => path !== '')
