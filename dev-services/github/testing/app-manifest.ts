import type { AppManifest } from '../apps.ts'

/** As the product asks for its App. */
export const appManifest = (more: Partial<AppManifest> & { hookUrl?: string } = {}): AppManifest => {
  const { hookUrl = 'http://127.0.0.1:9/hooks', ...rest } = more
  return {
    name: 'Docs Helper',
    url: 'https://docs.example.com',
    hook_attributes: { url: hookUrl, active: true },
    redirect_url: 'http://127.0.0.1:9/made',
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
    ...rest,
  }
}
