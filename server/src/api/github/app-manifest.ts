/** The manifest that GitHub creates the App from. GitHub shows it to the person, who can change the name. */
import { isLoopback } from '../../platform/is-loopback.ts'

/** Everything that jobs need, and nothing that could change what runs in CI. In particular, never `workflows`. */
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

const requested: ReadonlyMap<string, string> = new Map(Object.entries(permissions))

/** Permissions of an App that were not requested: the person who created it can have sent GitHub another manifest. */
export const excessPermissions = (granted: Readonly<Record<string, string>>): string[] =>
  Object.entries(granted)
    .filter(([name, level]) => level !== requested.get(name) && !(level === 'read' && requested.has(name)))
    .map(([name, level]) => `${name}: ${level}`)

const events = ['pull_request', 'issue_comment', 'check_run', 'status', 'deployment_status', 'repository']

const maxNameCharacters = 34

export function createAppManifest(publicUrl: string, githubUrl: string) {
  return {
    name: `Colophon ${new URL(publicUrl).host}`.slice(0, maxNameCharacters),
    url: publicUrl,
    redirect_url: `${publicUrl}/github/app-created`,
    callback_urls: [`${publicUrl}/github/installed`],
    request_oauth_on_install: true,
    setup_on_update: true,
    public: false,
    default_permissions: permissions,
    // GitHub rejects a webhook URL that it cannot reach, even if the webhook is inactive. It also rejects events without a
    // webhook.
    ...(canReceiveWebhooks(publicUrl, githubUrl) && {
      default_events: events,
      hook_attributes: { url: `${publicUrl}/v1/webhooks/github`, active: true },
    }),
  }
}

/** Only a GitHub on the same machine can reach a loopback address. Without webhooks, changes are found by polling. */
const canReceiveWebhooks = (publicUrl: string, githubUrl: string) =>
  !isLoopback(new URL(publicUrl).hostname) || isLoopback(new URL(githubUrl).hostname)
