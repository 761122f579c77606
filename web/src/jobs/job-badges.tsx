import type { AgentJob } from '@colophon/sdk'
import { Badge, Loader } from '@mantine/core'
import { IconGitMerge, IconGitPullRequest, IconGitPullRequestClosed } from '@tabler/icons-react'
import { WebLink } from '../shown/web-link.tsx'
import { describeStatus } from './job-labels.ts'

export function StatusBadge({ job }: { job: Pick<AgentJob, 'status' | 'outcome' | 'pendingStop'> }) {
  const { label, color } = describeStatus(job)
  return (
    <Badge
      variant="light"
      color={color}
      tt="none"
      fw={600}
      leftSection={job.status === 'active' ? <Loader size={10} color="currentColor" aria-hidden /> : undefined}
    >
      {label}
    </Badge>
  )
}

const pullRequestIcons = {
  open: { Icon: IconGitPullRequest, color: 'var(--good)' },
  merged: { Icon: IconGitMerge, color: 'var(--mantine-color-grape-light-color)' },
  closed: { Icon: IconGitPullRequestClosed, color: 'var(--bad)' },
} as const

export function PullRequestLink({ pullRequest }: { pullRequest: NonNullable<AgentJob['pullRequest']> }) {
  const { Icon, color } = pullRequestIcons[pullRequest.state]
  return (
    <WebLink href={pullRequest.url} size="sm" c="inherit">
      <Icon size={16} color={color} aria-hidden style={{ verticalAlign: '-3px', marginRight: 4 }} />#
      {pullRequest.number} {pullRequest.state}
    </WebLink>
  )
}
