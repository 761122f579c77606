import { Anchor, Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { type MyProject, projectsQuery } from '../projects/project.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { SettingsCard } from './settings-card.tsx'

export function DeleteProjectCard({ project }: { project: MyProject }) {
  const [isConfirming, confirmation] = useDisclosure()
  return (
    <SettingsCard
      id="delete"
      title="Export and delete"
      lead="The export is one archive with settings, members, jobs, page views by day, spend and the audit log. It contains no secrets."
    >
      <Group>
        <Button component="a" variant="default" href={`/v2/projects/${project.id}/export`} download>
          Export the project
        </Button>
        <Button variant="outline" color="red" c="var(--bad)" onClick={confirmation.open}>
          Delete the project
        </Button>
      </Group>
      <DeleteProjectModal project={project} opened={isConfirming} onClose={confirmation.close} />
    </SettingsCard>
  )
}

function DeleteProjectModal({
  project,
  opened,
  onClose,
}: {
  project: MyProject
  opened: boolean
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () => client.projects.delete(project.id, name),
    onSuccess: async () => {
      await navigate({ to: '/' })
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    remove.mutate()
  }
  return (
    <Modal opened={opened} onClose={onClose} title={`Delete ${project.name}?`} centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">This cannot be undone. Export the project first if you may need anything of it.</Text>
          <List size="sm">
            <List.Item>All members, API keys, site keys and runners lose access at once. Running jobs stop.</List.Item>
            <List.Item>Jobs, page views, settings and credentials are deleted within minutes.</List.Item>
            <List.Item>Branches and pull requests stay in the repository.</List.Item>
            <List.Item>
              The audit log is kept for 90 more days. See{' '}
              <Anchor size="sm" href="/docs/data-protection">
                Data protection
              </Anchor>
              .
            </List.Item>
          </List>
          <TextInput
            label={`Enter the name of the project to confirm: ${project.name}`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <ErrorAlert error={remove.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" loading={remove.isPending} disabled={name !== project.name}>
              Delete the project
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
