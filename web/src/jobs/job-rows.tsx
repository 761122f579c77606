import type { AgentJob } from '@colophon/sdk'
import { Paper, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { RelativeTime } from '../shown/relative-time.tsx'
import { PullRequestLink, StatusBadge } from './job-badges.tsx'
import { describeResult, formatCost, jobTitle } from './job-labels.ts'
import classes from './jobs.module.css'

export function JobRows({ projectId, jobs }: { projectId: string; jobs: readonly AgentJob[] }) {
  return (
    <Paper withBorder component="ul" className={classes.rows} aria-label="Jobs">
      {jobs.map((job) => (
        <li key={job.id} className={classes.row}>
          <div>
            <StatusBadge job={job} />
          </div>
          <div className={classes.title}>
            <Link
              to="/projects/$projectId/jobs/$jobId"
              params={{ projectId, jobId: job.id }}
              className={classes.name ?? ''}
            >
              {jobTitle(job)}
            </Link>
          </div>
          <Text size="sm" component="div" className={classes.pullRequest ?? ''}>
            {job.pullRequest ? <PullRequestLink pullRequest={job.pullRequest} /> : describeResult(job)}
          </Text>
          <Text size="sm" c="dimmed" className={`${classes.number} ${classes.cost}`}>
            {job.usage.costUsd !== null && job.usage.inputTokens > 0 && formatCost(job.usage.costUsd)}
          </Text>
          <Text size="sm" c="dimmed" component="div" className={classes.number ?? ''}>
            <RelativeTime at={job.createdAt} />
          </Text>
        </li>
      ))}
    </Paper>
  )
}
