import type { AgentJob } from '@colophon/sdk'
import { Alert, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconHourglass } from '@tabler/icons-react'
import { canManage, useProject } from '../projects/project.ts'
import { ButtonLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { RefusalList } from './refusal-list.tsx'
import { toRefusal } from './refusals.ts'

type Approval = NonNullable<AgentJob['approval']>

/** Why a result awaits approval. The buttons to decide are below its changes, because these are what is approved. */
export function ApprovalCard({
  projectId,
  jobId,
  approval,
  isReviewing,
}: {
  projectId: string
  jobId: string
  approval: Approval
  /** The changes are shown below. */
  isReviewing: boolean
}) {
  const isOwner = canManage(useProject())
  return (
    <Alert color="yellow" icon={<IconHourglass />} title="Awaiting approval" mb="lg">
      <Stack gap="sm">
        <Reasons approval={approval} />
        <NewHosts hosts={approval.newHosts} />
        {!approval.isDiffComplete && <IncompleteDiff />}
        <Text size="sm" component="div">
          Held <RelativeTime at={approval.requestedAt} />.
          {isOwner ? ' Read the changes, then approve or reject them.' : ' An owner of the project can approve it.'}
        </Text>
        <Group>
          <ButtonLink
            to="/projects/$projectId/jobs/$jobId"
            params={{ projectId, jobId }}
            search={{ show: 'changes' }}
            hash="changes"
            replace
            variant={isOwner && !isReviewing ? 'filled' : 'default'}
          >
            {isOwner ? 'Review changes' : 'View changes'}
          </ButtonLink>
        </Group>
      </Stack>
    </Alert>
  )
}

function Reasons({ approval: { reasons } }: { approval: Approval }) {
  if (reasons.length === 0)
    return <Text size="sm">This project requires approval of every result. Nothing has been pushed.</Text>
  return (
    <>
      <Text size="sm">Nothing has been pushed. The result contains something that has to be approved:</Text>
      <RefusalList refusals={reasons.map(toRefusal)} />
      <Text size="sm">
        If it is approved, a docs build can run it with the secrets of CI, before anyone reviews the pull request.
      </Text>
    </>
  )
}

function NewHosts({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return null
  return (
    <div>
      <Text size="sm" mb={4}>
        Links and images of the changes name hosts that no page named before:
      </Text>
      <Group gap="xs">
        {hosts.map((host) => (
          <Code key={host} style={{ overflowWrap: 'anywhere' }}>
            {host}
          </Code>
        ))}
      </Group>
    </div>
  )
}

const IncompleteDiff = () => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <IconAlertTriangle size={18} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
    <Text size="sm" fw={600}>
      Some changes are not shown, because they are too large or binary. An approval publishes them, too.
    </Text>
  </Group>
)
