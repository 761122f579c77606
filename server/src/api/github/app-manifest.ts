/** What we ask GitHub to make an App of. The person sees all of it there, and can change its name. */
import { isLoopback } from '../../platform/is-loopback.ts'

/** Everything that jobs need, and nothing that could change what runs in CI: never `workflows`. */
const permissions = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'read',
  checks: 'read',
  statuses: 'read',
  deployments: 'read',
  actions: 'read',
} as const

const asked: ReadonlyMap<string, string> = new Map(Object.entries(permissions))

/** What an App may do beyond what was asked for: whoever made it can have sent GitHub another manifest. */
export const permissionsBeyond = (made: Readonly<Record<string, string>>): string[] =>
  Object.entries(made)
    .filter(([name, level]) => level !== asked.get(name) && !(level === 'read' && asked.has(name)))
    .map(([name, level]) => `${name}: ${level}`)

const events = ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository']

const maxNameCharacters = 34

export function appManifest(publicUrl: string, githubUrl: string) {
  return {
    name: `Colophon ${new URL(publicUrl).host}`.slice(0, maxNameCharacters),
    url: publicUrl,
    redirect_url: `${publicUrl}/github/app-made`,
    callback_urls: [`${publicUrl}/github/installed`],
    request_oauth_on_install: true,
    setup_on_update: true,
    public: false,
    default_permissions: permissions,
    // GitHub refuses a webhook to an address that it cannot reach, even one that is turned off; and events without a webhook.
    ...(canReachUs(publicUrl, githubUrl) && {
      default_events: events,
      hook_attributes: { url: `${publicUrl}/v1/webhooks/github`, active: true },
    }),
  }
}

/** A GitHub on this very machine can. Elsewhere changes are found by asking. */
const canReachUs = (publicUrl: string, githubUrl: string) =>
  !isLoopback(new URL(publicUrl).hostname) || isLoopback(new URL(githubUrl).hostname)
