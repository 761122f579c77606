import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { type MyProject, projectsQuery } from '../projects/project.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { notifySaved } from './notify-saved.ts'
import { SettingsCard } from './settings-card.tsx'

export function ProjectNameCard({ project, canChange }: { project: MyProject; canChange: boolean }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(project.name)
  const newName = name.trim()
  const rename = useMutation({
    mutationFn: () => client.projects.rename(project.id, { name: newName }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      notifySaved(`Project renamed to ${newName}.`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <SettingsCard title="Name" lead="The name in the dashboard. The project ID does not change.">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Group align="flex-end" gap="sm">
            <TextInput
              label="Project name"
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              readOnly={!canChange}
              style={{ flex: '1 1 220px' }}
            />
            {canChange && (
              <Button type="submit" disabled={newName === '' || newName === project.name} loading={rename.isPending}>
                Rename
              </Button>
            )}
          </Group>
          <ErrorAlert error={rename.error} />
        </Stack>
      </form>
    </SettingsCard>
  )
}
