import type { ChangeRules } from '../content-gate/change-rules.ts'
import type { Repository } from '../projects/repository-store.ts'

export const toChangeRules = ({ docsFolder, rules }: Pick<Repository, 'docsFolder' | 'rules'>): ChangeRules => ({
  docsFolders: [docsFolder, ...rules.furtherDocsFolders],
  allowedPaths: rules.allowedPaths,
  siteGenerator: rules.siteGenerator ?? undefined,
  activeContent: rules.activeContent,
})
