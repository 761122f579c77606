/** Beside the conversation: what came of the job, whether it holds, and what it cost. */
import type { AgentJob } from '@colophon/sdk'
import { Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Ago } from '../shown/ago.tsx'
import { costInWords, countInWords } from './job-words.ts'
import { PullRequestFacts } from './pull-request-facts.tsx'

export function JobFacts({ job }: { job: AgentJob }) {
  return (
    <Paper withBorder p="md" component="aside" aria-label="About this job">
      <Stack gap="lg">
        <Fact name={job.publish === 'diff' ? 'Result' : 'Pull request'}>
          <Result job={job} />
        </Fact>
        {job.checks.length > 0 && (
          <Fact name="Page checks">
            <Checks checks={job.checks} />
          </Fact>
        )}
        <Fact name="Cost">
          <Text size="lg" fw={600}>
            {costInWords(job.usage.costUsd)}
          </Text>
          <Text size="sm" c="dimmed">
            {countInWords(job.usage.inputTokens)} tokens read, {countInWords(job.usage.outputTokens)} written
          </Text>
          {job.usage.costUsd === null && (
            <Text size="xs" c="dimmed">
              The model has no prices in its settings.
            </Text>
          )}
        </Fact>
        <Fact name="Made from">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {job.source.repository}, branch <Code>{job.source.ref}</Code>
          </Text>
          <Text size="sm">Model: {job.model}</Text>
          <Text size="sm" component="div">
            Created <Ago at={job.createdAt} />
          </Text>
          {job.topic && <Text size="sm">Topic: {job.topic}</Text>}
        </Fact>
        {Object.keys(job.metadata).length > 0 && (
          <Fact name="Metadata">
            {Object.entries(job.metadata).map(([name, value]) => (
              <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {name}: {value}
              </Text>
            ))}
          </Fact>
        )}
      </Stack>
    </Paper>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
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
  const { pullRequest, publish, status, outcome } = job
  if (pullRequest) return <PullRequestFacts job={job} pullRequest={pullRequest} />
  const words =
    status === 'active'
      ? publish === 'diff'
        ? 'The diff appears when the agent is done.'
        : 'Opened when the agent is done.'
      : outcome === 'diff'
        ? 'A diff; nothing was pushed.'
        : 'None: nothing was published.'
  return <Text size="sm">{words}</Text>
}

function Checks({ checks }: { checks: AgentJob['checks'] }) {
  return (
    <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {checks.map(({ name, status, findings }) => {
        const passed = status === 'passed'
        return (
          <li key={name}>
            <Group gap={6} wrap="nowrap">
              {passed ? (
                <IconCircleCheck size={16} color="var(--good)" aria-hidden />
              ) : (
                <IconCircleX size={16} color="var(--bad)" aria-hidden />
              )}
              <Text size="sm">
                {name}: {status}
              </Text>
            </Group>
            {findings.length > 0 && (
              <Stack gap={2} component="ul" my={4} pl={38} style={{ overflowWrap: 'anywhere' }}>
                {findings.map((finding) => (
                  <Text key={finding} size="xs" component="li">
                    {finding}
                  </Text>
                ))}
              </Stack>
            )}
          </li>
        )
      })}
    </Stack>
  )
}
