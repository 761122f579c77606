/** How a project wants its pull requests; what is left out has a default. */
export interface PublishingSettings {
  branchTemplate?: string
  titleTemplate?: string
  bodyTemplate?: string
  labels?: string[]
  reviewers?: string[]
  draft?: boolean
  signOff?: boolean
}
