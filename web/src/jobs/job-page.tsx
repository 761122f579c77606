import type { AgentJob } from '@colophon/sdk'
import { Alert, Box, Grid, Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { canEdit, useProject } from '../projects/project.ts'
import { CopyLine } from '../shown/copy-line.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { ApprovalDecision } from './approval-decision.tsx'
import { Changes } from './changes/changes.tsx'
import { Conversation } from './conversation.tsx'
import { EarlierMessages } from './earlier-messages.tsx'
import { FollowUpForm } from './follow-up-form.tsx'
import { JobActions } from './job-actions.tsx'
import { PullRequestLink, StatusBadge } from './job-badges.tsx'
import { JobDetails } from './job-details.tsx'
import { jobTitle } from './job-labels.ts'
import { jobQuery, messagesQuery, refreshIntervalMs } from './job-queries.ts'
import { TurnFailureAlert } from './turn-failure-alert.tsx'

const route = getRouteApi('/signed-in/projects/$projectId/jobs/$jobId')

export function JobPage() {
  const { projectId, jobId } = route.useParams()
  const { data: job, error } = useQuery(jobQuery(projectId, jobId))
  if (error && !job) return <ErrorAlert error={error} title="The job could not be loaded" />
  if (!job) return <Skeleton height={240} role="status" aria-label="Loading the job" />
  return <Job key={job.id} projectId={projectId} job={job} />
}

function Job({ projectId, job }: { projectId: string; job: AgentJob }) {
  const project = useProject()
  const { show } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHeader title={jobTitle(job)}>
        {canEdit(project) && <JobActions projectId={projectId} job={job} />}
      </PageHeader>
      <Group gap="sm" mb="lg" mt="-sm">
        <StatusBadge job={job} />
        {job.pullRequest && <PullRequestLink pullRequest={job.pullRequest} />}
        {job.queuedMessages > 0 && (
          <Text size="sm">
            {job.queuedMessages === 1 ? '1 message queued' : `${job.queuedMessages} messages queued`}
          </Text>
        )}
        <CopyLine label="Job ID" value={job.id} />
      </Group>
      {job.error && (
        <Box mb="lg">
          <TurnFailureAlert projectId={projectId} error={job.error} />
        </Box>
      )}
      {job.approval && (
        <ApprovalCard projectId={projectId} jobId={job.id} approval={job.approval} isReviewing={show === 'changes'} />
      )}
      {job.status === 'completed' && job.outcome === 'rejected' && <RejectedNote canSend={canEdit(project)} />}
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Tabs
            value={show ?? 'conversation'}
            onChange={(tab) =>
              void navigate({ search: tab === 'changes' ? { show: 'changes' } : {}, replace: true, resetScroll: false })
            }
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="conversation">Conversation</Tabs.Tab>
              <Tabs.Tab value="changes">Changes</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="conversation">
              <Messages projectId={projectId} job={job} />
              {canEdit(project) && job.status !== 'archived' && <FollowUpForm projectId={projectId} job={job} />}
            </Tabs.Panel>
            <Tabs.Panel value="changes">
              {/* Below the header of the page after a link to it. */}
              <Box id="changes" style={{ scrollMarginTop: 72 }}>
                <Changes key={job.approval?.diffSha256 ?? ''} projectId={projectId} job={job} />
              </Box>
              <ApprovalDecision
                projectId={projectId}
                job={job}
                onDecided={() => void navigate({ search: {}, replace: true })}
              />
            </Tabs.Panel>
          </Tabs>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <JobDetails job={job} />
        </Grid.Col>
      </Grid>
    </>
  )
}

const RejectedNote = ({ canSend }: { canSend: boolean }) => (
  <Alert color="gray" title="The result was rejected" mb="lg">
    Nothing was pushed.
    {canSend &&
      ' Send a message that says what to do differently. The agent then starts again without the rejected changes.'}
  </Alert>
)

function Messages({ projectId, job }: { projectId: string; job: AgentJob }) {
  const { data, error } = useQuery(messagesQuery(projectId, job.id, refreshIntervalMs(job)))
  if (error && !data) return <ErrorAlert error={error} title="The conversation could not be loaded" />
  if (!data) return <Skeleton height={160} />
  return (
    <Stack gap="xl">
      {data.nextBefore !== null && <EarlierMessages projectId={projectId} jobId={job.id} before={data.nextBefore} />}
      <Conversation projectId={projectId} job={job} messages={data.messages} />
    </Stack>
  )
}
