import type { SiteGeneratorId } from '../site-generators/site-generator.ts'

/** What the results of a project may change, as its owners set it. */
export interface ChangeRules {
  /** The first one is searched for a site first. Without a leading or trailing slash; an empty one is the whole repository. */
  docsFolders: readonly string[]
  /** Further files of any type, and folders, which end with a slash. */
  allowedPaths: readonly string[]
  /** Undefined: it is recognized. */
  siteGenerator: SiteGeneratorId | undefined
  /** What happens to a result with active content. `hold`: nothing is pushed until a person approves it. */
  activeContent: 'refuse' | 'hold'
}
