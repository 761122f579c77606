import { Button, Paper, Skeleton, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { canManage, useProject } from '../projects/project.ts'
import { CopyLine } from '../shown/copy-line.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ApiExamples } from './api-examples.tsx'
import { CreateKeyModal } from './create-key-modal.tsx'
import { KeyTable } from './key-table.tsx'
import { keysQuery } from './queries.ts'

export function KeysPage() {
  const project = useProject()
  const { data: keys, error, isPending } = useQuery(keysQuery(project.id))
  const [isCreating, { open, close }] = useDisclosure()
  const createButton = canManage(project) ? (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Create API key
    </Button>
  ) : (
    <Text size="sm">Only owners can create and revoke API keys.</Text>
  )
  return (
    <>
      <PageHeader
        title="API keys"
        lead="For servers, CI and bots. An API key is secret: never put one into a web page or an app."
      >
        {createButton}
      </PageHeader>
      <Paper withBorder radius="md" px="lg" py="md" mb="lg">
        <CopyLine label="Project ID" value={project.id} />
        <Text size="sm" c="dimmed" mt={4}>
          API calls identify the project by this ID. It is not secret.
        </Text>
      </Paper>
      <ErrorAlert error={error} title="The API keys could not be loaded" />
      {isPending && <Skeleton h={200} />}
      {keys?.length === 0 && (
        <EmptyState title="No API keys yet" action={createButton}>
          With an API key, your CI can create jobs and your servers can send page views.
        </EmptyState>
      )}
      {keys && keys.length > 0 && <KeyTable project={project} keys={keys} />}
      <ApiExamples projectId={project.id} />
      <CreateKeyModal projectId={project.id} isOpen={isCreating} close={close} />
    </>
  )
}
