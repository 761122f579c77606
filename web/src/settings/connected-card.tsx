import type { Repository } from '@colophon/sdk'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { Failure } from '../shown/failure.tsx'
import { WebLink } from '../shown/web-link.tsx'
import { ConnectRepository } from './connect-repository.tsx'
import { PlaceFields, readPlace } from './place-fields.tsx'
import { hostWords, repositoryIssueLabels } from './repository-words.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangeRepository } from './use-change-repository.ts'

/** What is connected, where in it the agent works, and the way to another one or another token. */
export function ConnectedCard({
  projectId,
  repository,
  canChange,
}: {
  projectId: string
  repository: Repository
  canChange: boolean
}) {
  const [isAnew, setIsAnew] = useState(false)
  const [place, setPlace] = useState({ baseBranch: repository.baseBranch, docsFolder: repository.docsFolder })
  const changes = readPlace(place)
  const isChanged = changes.baseBranch !== repository.baseBranch || changes.docsFolder !== repository.docsFolder
  const save = useChangeRepository(projectId, 'Saved. It holds from the next turn on.')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  const address = `${repository.url}/${repository.owner}/${repository.name}`
  if (isAnew) {
    return (
      <SettingsCard title="Connect anew" lead="In another way, or to another repository. The publishing rules stay.">
        <ConnectRepository projectId={projectId} connected={repository} onConnected={() => setIsAnew(false)} />
        <Group>
          <Button variant="subtle" color="gray" onClick={() => setIsAnew(false)}>
            Leave it as it is
          </Button>
        </Group>
      </SettingsCard>
    )
  }
  return (
    <SettingsCard title="Connected repository">
      {repository.issue && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={repositoryIssueLabels[repository.issue.code]}
          role="alert"
        >
          <Stack gap="sm" align="flex-start">
            <Text size="sm">
              {repository.issue.message} Jobs cannot be published until then
              {canChange ? '.' : '; an owner of the project can connect it again.'}
            </Text>
            {canChange && <Button onClick={() => setIsAnew(true)}>Connect again</Button>}
          </Stack>
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Stack gap={0}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            <WebLink href={address} inherit>
              {repository.owner}/{repository.name} <IconExternalLink size={14} aria-hidden="true" />
            </WebLink>
          </Text>
          <Text size="sm" c="dimmed">
            {hostWords(repository)}
          </Text>
        </Stack>
        {canChange && !repository.issue && (
          <Button variant="default" size="xs" onClick={() => setIsAnew(true)}>
            Connect anew
          </Button>
        )}
      </Group>
      <form onSubmit={submit}>
        <Stack gap="md">
          <PlaceFields place={place} onChange={setPlace} readOnly={!canChange} />
          <Failure error={save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isChanged || changes.baseBranch === ''} loading={save.isPending}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </SettingsCard>
  )
}
