import type { AppManifest } from '../apps.ts'

/** A manifest like the one that Colophon sends. */
export const appManifest = (overrides: Partial<AppManifest> & { hookUrl?: string } = {}): AppManifest => {
  const { hookUrl = 'http://127.0.0.1:9/hooks', ...fields } = overrides
  return {
    name: 'Docs Helper',
    url: 'https://docs.example.com',
    hook_attributes: { url: hookUrl, active: true },
    redirect_url: 'http://127.0.0.1:9/created',
    callback_urls: ['http://127.0.0.1:9/installed'],
    public: false,
    request_oauth_on_install: true,
    default_permissions: {
      contents: 'write',
      pull_requests: 'write',
      metadata: 'read',
      checks: 'read',
      statuses: 'read',
      deployments: 'read',
      actions: 'read',
      issues: 'read',
    },
    default_events: ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository'],
    ...fields,
  }
}
