import type { AgentJob } from '@colophon/sdk'
import { Badge, Loader } from '@mantine/core'
import { IconGitMerge, IconGitPullRequest, IconGitPullRequestClosed } from '@tabler/icons-react'
import { ExternalLink } from '../shown/external-link.tsx'
import { describeJobStatus } from './job-labels.ts'

export function StatusBadge({ job }: { job: Pick<AgentJob, 'status' | 'outcome' | 'pendingStop'> }) {
  const { label, color } = describeJobStatus(job)
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
    <ExternalLink href={pullRequest.url} size="sm" c="inherit">
      <Icon size={16} color={color} aria-hidden style={{ verticalAlign: '-3px', marginRight: 4 }} />#
      {pullRequest.number} {pullRequest.state}
    </ExternalLink>
  )
}
