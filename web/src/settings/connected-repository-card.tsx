import type { Repository } from '@colophon/sdk'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ExternalLink } from '../shown/external-link.tsx'
import { ConnectRepository } from './connect-repository.tsx'
import { DocsLocationFields, trimDocsLocation } from './docs-location-fields.tsx'
import { describeRepositoryConnection, repositoryIssueLabels } from './repository-labels.ts'
import { SettingsCard } from './settings-card.tsx'
import { useChangeRepositorySettings } from './use-change-repository-settings.ts'

/** The connected repository, the branch and folder the agent works in, and a button to change the connection. */
export function ConnectedRepositoryCard({
  projectId,
  repository,
  canChange,
}: {
  projectId: string
  repository: Repository
  canChange: boolean
}) {
  const [isReconnecting, setIsReconnecting] = useState(false)
  const [location, setLocation] = useState({ baseBranch: repository.baseBranch, docsFolder: repository.docsFolder })
  const changes = trimDocsLocation(location)
  const isChanged = changes.baseBranch !== repository.baseBranch || changes.docsFolder !== repository.docsFolder
  const save = useChangeRepositorySettings(projectId, 'Saved. It applies from the next turn.')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  const repositoryUrl = `${repository.url}/${repository.owner}/${repository.name}`
  if (isReconnecting) {
    return (
      <SettingsCard
        title="Change connection"
        lead="Connect in another way or to another repository. Other settings are kept, but another repository starts without a chosen site generator, further docs folders and allowed paths."
      >
        <ConnectRepository projectId={projectId} connected={repository} onConnected={() => setIsReconnecting(false)} />
        <Group>
          <Button variant="subtle" color="gray" onClick={() => setIsReconnecting(false)}>
            Cancel
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
              {repository.issue.message} Jobs cannot be published until this is fixed.
              {!canChange && ' An owner of the project can reconnect the repository.'}
            </Text>
            {canChange && <Button onClick={() => setIsReconnecting(true)}>Reconnect</Button>}
          </Stack>
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Stack gap={0}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            <ExternalLink href={repositoryUrl} inherit>
              {repository.owner}/{repository.name} <IconExternalLink size={14} aria-hidden="true" />
            </ExternalLink>
          </Text>
          <Text size="sm" c="dimmed">
            {describeRepositoryConnection(repository)}
          </Text>
        </Stack>
        {canChange && !repository.issue && (
          <Button variant="default" size="xs" onClick={() => setIsReconnecting(true)}>
            Change connection
          </Button>
        )}
      </Group>
      <form onSubmit={submit}>
        <Stack gap="md">
          <DocsLocationFields location={location} onChange={setLocation} readOnly={!canChange} />
          <ErrorAlert error={save.error} />
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
