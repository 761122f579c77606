/** Example responses for the API reference, one for each state that a route typically responds with. */

export const completedJobExample = {
  id: 'job_01m7ej5fb2e1et8d6t4k20dq6v',
  status: 'completed',
  source: { repository: 'acme/handbook', ref: 'main' },
  model: 'claude-sonnet-4-5',
  prLink: 'https://github.com/acme/handbook/pull/42',
  createdAt: '2026-01-31T12:00:00.000Z',
  archivedAt: null,
  title: 'Proxy settings in the quickstart',
  promptPreview: 'Explain in the quickstart how to use a proxy.',
  publish: 'pull_request',
  topic: null,
  metadata: { ticket: 'DOCS-128' },
  outcome: 'pull_request',
  error: null,
  reply: 'I added a section about HTTPS_PROXY to docs/install.md and linked it from the quickstart.',
  pullRequest: {
    url: 'https://github.com/acme/handbook/pull/42',
    number: 42,
    branch: 'colophon/01m7ej5fb2e1et8d6t4k20dq6v',
    state: 'open',
    hasConflicts: false,
    previewUrl: 'https://handbook-pr-42.preview.example.com/',
    checks: [
      {
        name: 'build',
        status: 'passed',
        url: 'https://github.com/acme/handbook/actions/runs/9612',
        summary: 'Built 214 pages',
        log: null,
      },
    ],
  },
  queuedMessages: 0,
  pendingStop: null,
  usage: { inputTokens: 48210, outputTokens: 2954, costUsd: 0.19 },
  checks: [
    { name: 'Page syntax', status: 'passed', findings: [] },
    { name: 'Internal links', status: 'passed', findings: [] },
  ],
  newHosts: ['status.example.com'],
  approval: null,
  updatedAt: '2026-01-31T12:04:17.000Z',
}

export const awaitingApprovalJobExample = {
  ...completedJobExample,
  prLink: null,
  outcome: 'awaiting_approval',
  pullRequest: null,
  newHosts: [],
  approval: {
    diffSha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    isDiffComplete: true,
    reasons: [
      {
        code: 'active_content',
        path: 'docs/install.mdx',
        line: 3,
        message:
          'docs/install.mdx:3: a build or a browser would execute this, or it reads something outside of the page: `import Player from "./player"` (active_content)',
      },
    ],
    newHosts: [],
    requestedAt: '2026-01-31T12:04:17.000Z',
  },
}

export const rejectedJobExample = { ...awaitingApprovalJobExample, outcome: 'rejected', approval: null }

export const createdJobExample = {
  ...completedJobExample,
  status: 'active',
  prLink: null,
  title: null,
  metadata: {},
  outcome: null,
  reply: null,
  pullRequest: null,
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  checks: [],
  newHosts: [],
  updatedAt: '2026-01-31T12:00:00.000Z',
}

/** After a follow-up message to a completed job. */
export const continuedJobExample = {
  ...completedJobExample,
  status: 'active',
  prLink: null,
  outcome: null,
  updatedAt: '2026-01-31T12:10:00.000Z',
}

/** Its turn is running and has to stop first. */
export const pendingCancelJobExample = {
  ...createdJobExample,
  pendingStop: 'cancel',
  updatedAt: '2026-01-31T12:01:30.000Z',
}

export const archivedJobExample = {
  ...completedJobExample,
  status: 'archived',
  archivedAt: '2026-02-02T09:30:00.000Z',
  updatedAt: '2026-02-02T09:30:00.000Z',
}
