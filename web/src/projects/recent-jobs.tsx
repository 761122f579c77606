import { Box, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { PullRequestLink, StatusBadge } from '../jobs/job-badges.tsx'
import { jobTitle } from '../jobs/job-labels.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'

const recentJobsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['recent-jobs', projectId],
    queryFn: ({ signal }) => client.jobs.list(projectId, { limit: 5 }, { signal }),
    refetchInterval: 10_000,
  })

export function RecentJobs({ projectId }: { projectId: string }) {
  const { data, error, isPending } = useQuery(recentJobsQuery(projectId))
  return (
    <Paper withBorder radius="md" p="lg" component="section" aria-labelledby="recent-jobs">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="recent-jobs">
          Recent jobs
        </Title>
        <AnchorLink to="/projects/$projectId/jobs" params={{ projectId }} size="sm">
          All jobs
        </AnchorLink>
      </Group>
      <ErrorAlert error={error} />
      {isPending && <Skeleton h={160} />}
      {data?.jobs.length === 0 && (
        <Text c="dimmed" size="sm">
          No jobs yet.
        </Text>
      )}
      <Stack gap="sm">
        {data?.jobs.map((job) => (
          <Group key={job.id} justify="space-between" wrap="nowrap" gap="sm">
            <Stack gap={0} miw={0}>
              <AnchorLink
                to="/projects/$projectId/jobs/$jobId"
                params={{ projectId, jobId: job.id }}
                c="var(--mantine-color-text)"
                underline="hover"
                truncate
              >
                {jobTitle(job)}
              </AnchorLink>
              <Group gap="sm">
                <Text size="xs" c="dimmed">
                  <RelativeTime at={job.createdAt} />
                </Text>
                {job.pullRequest && <PullRequestLink pullRequest={job.pullRequest} />}
              </Group>
            </Stack>
            <Box style={{ flex: 'none' }}>
              <StatusBadge job={job} />
            </Box>
          </Group>
        ))}
      </Stack>
    </Paper>
  )
}
