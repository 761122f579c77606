/** The query parameters of GitHub's redirect back to us. `installation_id` is ignored: anyone could type one. */
export interface GithubCallbackParameters {
  code?: string
  state?: string
  /** `request`: an owner of the organization has to approve first. */
  setup_action?: string
  error?: string
}

export function parseGithubCallback(search: Record<string, unknown>): GithubCallbackParameters {
  const text = (name: keyof GithubCallbackParameters) => {
    const value = search[name]
    return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {}
  }
  return { ...text('code'), ...text('state'), ...text('setup_action'), ...text('error') }
}
