/** The panel beside the conversation: the result of the job, its checks and its cost. */
import type { AgentJob } from '@colophon/sdk'
import { Code, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { RelativeTime } from '../shown/relative-time.tsx'
import { DocsChecks } from './docs-checks.tsx'
import { formatCost, formatTokenCount } from './job-labels.ts'
import { PullRequestDetails } from './pull-request-details.tsx'

export function JobDetails({ job }: { job: AgentJob }) {
  return (
    <Paper withBorder p="md" component="aside" aria-label="About this job">
      <Stack gap="lg">
        <Detail name={job.publish === 'diff' ? 'Result' : 'Pull request'}>
          <Result job={job} />
        </Detail>
        {job.checks.length > 0 && (
          <Detail name="Docs checks">
            <DocsChecks checks={job.checks} />
          </Detail>
        )}
        {job.newHosts.length > 0 && (
          <Detail name="New hosts">
            <Text size="sm">Links and images of the changes name hosts that no page named before:</Text>
            {job.newHosts.map((host) => (
              <Code key={host} style={{ overflowWrap: 'anywhere' }}>
                {host}
              </Code>
            ))}
          </Detail>
        )}
        <Detail name="Cost">
          <Text size="lg" fw={600}>
            {formatCost(job.usage.costUsd)}
          </Text>
          <Text size="sm" c="dimmed">
            {formatTokenCount(job.usage.inputTokens)} input tokens, {formatTokenCount(job.usage.outputTokens)} output
            tokens
          </Text>
          {job.usage.costUsd === null && (
            <Text size="xs" c="dimmed">
              No prices are configured for the model.
            </Text>
          )}
        </Detail>
        <Detail name="Source">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {job.source.repository}, branch <Code>{job.source.ref}</Code>
          </Text>
          <Text size="sm">Model: {job.model}</Text>
          <Text size="sm" component="div">
            Created <RelativeTime at={job.createdAt} />
          </Text>
          {job.topic && <Text size="sm">Topic: {job.topic}</Text>}
        </Detail>
        {Object.keys(job.metadata).length > 0 && (
          <Detail name="Metadata">
            {Object.entries(job.metadata).map(([name, value]) => (
              <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {name}: {value}
              </Text>
            ))}
          </Detail>
        )}
      </Stack>
    </Paper>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Title order={2} size="xs" tt="uppercase" c="dimmed" lts={0.5} mb={4} ff="text">
        {name}
      </Title>
      {children}
    </div>
  )
}

function Result({ job }: { job: AgentJob }) {
  if (job.pullRequest) return <PullRequestDetails job={job} pullRequest={job.pullRequest} />
  return <Text size="sm">{describeMissingPullRequest(job)}</Text>
}

function describeMissingPullRequest({ status, publish, outcome, approval }: AgentJob): string {
  if (status === 'active')
    return publish === 'diff' ? 'The diff appears when the agent is done.' : 'It is opened when the agent is done.'
  if (approval) return 'It is opened when an owner approves the result.'
  if (outcome === 'rejected') return 'None. The result was rejected.'
  return outcome === 'diff' ? 'A diff. Nothing was pushed.' : 'None. Nothing was published.'
}
