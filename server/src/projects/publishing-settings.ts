/** How pull requests of a project are opened. Omitted fields have defaults. */
export interface PublishingSettings {
  branchTemplate?: string
  titleTemplate?: string
  bodyTemplate?: string
  labels?: string[]
  reviewers?: string[]
  draft?: boolean
  signOff?: boolean
}
