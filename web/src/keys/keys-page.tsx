import { Button, Paper, Skeleton, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { mayManage, useProject } from '../projects/project.ts'
import { CopyLine } from '../shown/copy-line.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { Failure } from '../shown/failure.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { Examples } from './examples-panel.tsx'
import { KeyTable } from './key-table.tsx'
import { keysQuery } from './keys.ts'
import { NewKey } from './new-key.tsx'

export function KeysPage() {
  const project = useProject()
  const { data: keys, error, isPending } = useQuery(keysQuery(project.id))
  const [isMaking, { open, close }] = useDisclosure()
  const make = mayManage(project) ? (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Make a key
    </Button>
  ) : (
    <Text size="sm">Owners of the project make and revoke keys.</Text>
  )
  return (
    <>
      <PageHeader
        title="API keys"
        lead="A key is a secret for servers, CI and bots. Never put one into a page or an app that others can open."
      >
        {make}
      </PageHeader>
      <Paper withBorder radius="md" px="lg" py="md" mb="lg">
        <CopyLine label="projectId" value={project.id} />
        <Text size="sm" c="dimmed" mt={4}>
          Every call names the project by it. It is no secret.
        </Text>
      </Paper>
      <Failure error={error} title="The keys cannot be read" />
      {isPending && <Skeleton h={200} />}
      {keys?.length === 0 && (
        <EmptyState title="No key yet" action={make}>
          With one, your CI posts a job and your site's server tells who read which page.
        </EmptyState>
      )}
      {keys && keys.length > 0 && <KeyTable project={project} keys={keys} />}
      <Examples projectId={project.id} />
      <NewKey projectId={project.id} isOpen={isMaking} close={close} />
    </>
  )
}
