import type { ChangeRules } from '../change-rules.ts'

/** The rules of a project that has set nothing but its docs folder. */
export const docsFolderRules = (docsFolder: string, changed: Partial<ChangeRules> = {}): ChangeRules => ({
  docsFolders: [docsFolder],
  allowedPaths: [],
  siteGenerator: undefined,
  activeContent: 'refuse',
  ...changed,
})
