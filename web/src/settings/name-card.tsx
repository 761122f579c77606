import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { type ProjectOfMine, projectsQuery } from '../projects/project.ts'
import { Failure } from '../shown/failure.tsx'
import { tellSaved } from './saved.ts'
import { SettingsCard } from './settings-card.tsx'

export function NameCard({ project, canChange }: { project: ProjectOfMine; canChange: boolean }) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(project.name)
  const wanted = name.trim()
  const rename = useMutation({
    mutationFn: () => client.projects.rename(project.id, { name: wanted }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      tellSaved(`The project is called ${wanted} now.`)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rename.mutate()
  }
  return (
    <SettingsCard title="Name" lead="What the project is called here. Its id, and all that uses it, stay as they are.">
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
              <Button type="submit" disabled={wanted === '' || wanted === project.name} loading={rename.isPending}>
                Rename
              </Button>
            )}
          </Group>
          <Failure error={rename.error} />
        </Stack>
      </form>
    </SettingsCard>
  )
}
