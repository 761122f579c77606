import type { SiteGeneratorId } from '../site-generators/site-generator.ts'

/** What happens to a result with active content. `hold`: nothing is pushed until a person approves it. */
export const activeContentRules = ['refuse', 'hold'] as const
export type ActiveContentRule = (typeof activeContentRules)[number]

/** What agents may change in the repository of a project, and what a person has to approve before it is pushed. */
export interface PublishingRules {
  /** Chosen by a person. Null: it is recognized. It decides what counts as active content. */
  siteGenerator: SiteGeneratorId | null
  /** In addition to the docs folder. Without a leading or trailing slash. */
  furtherDocsFolders: readonly string[]
  /** Further files of any type, and folders, which end with a slash. */
  allowedPaths: readonly string[]
  activeContent: ActiveContentRule
  /** Whether a person has to approve every result before it is pushed. */
  requireApproval: boolean
  /** Whether a failed CI check of a pull request is sent to the agent without being asked. */
  fixFailedChecks: boolean
}

export const defaultPublishingRules: PublishingRules = {
  siteGenerator: null,
  furtherDocsFolders: [],
  allowedPaths: [],
  activeContent: 'refuse',
  requireApproval: false,
  fixFailedChecks: false,
}
