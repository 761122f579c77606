/** What GitHub says in the address that it sends people back to. `installation_id` is not believed: anybody can type one. */
export interface Brought {
  code?: string
  state?: string
  /** `request`: an owner of the organization has to approve first. */
  setup_action?: string
  error?: string
}

export function readBrought(search: Record<string, unknown>): Brought {
  const text = (name: keyof Brought) => {
    const value = search[name]
    return typeof value === 'string' || typeof value === 'number' ? { [name]: String(value) } : {}
  }
  return { ...text('code'), ...text('state'), ...text('setup_action'), ...text('error') }
}
