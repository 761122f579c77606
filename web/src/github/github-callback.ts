/** The query parameters of GitHub's redirect back to us. `installation_id` is ignored: anyone could type one. */
export interface GithubCallback {
  code?: string
  state?: string
  /** `request`: an owner of the organization has to approve first. */
  setup_action?: string
  error?: string
}

export function parseGithubCallback(search: Record<string, unknown>): GithubCallback {
  const text = (name: keyof GithubCallback) => {
    const value = search[name]
    return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {}
  }
  return { ...text('code'), ...text('state'), ...text('setup_action'), ...text('error') }
}
