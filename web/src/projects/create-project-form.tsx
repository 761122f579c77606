import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { projectsQuery } from './project.ts'

export function CreateProjectForm({ isFirst }: { isFirst: boolean }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => client.projects.create({ name: name.trim() }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      await navigate({ to: '/projects/$projectId', params: { projectId: id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Paper withBorder p="lg" radius="md" maw={560}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <div>
            <Title order={2} size="h4">
              {isFirst ? 'Create your first project' : 'New project'}
            </Title>
            <Text size="sm" c="dimmed">
              Name it after your docs. Next, you connect the repository.
            </Text>
          </div>
          <Group align="flex-end" gap="sm">
            <TextInput
              label="Project name"
              placeholder="Handbook"
              required
              maxLength={100}
              flex={1}
              miw={200}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" loading={create.isPending} disabled={name.trim() === ''}>
              Create project
            </Button>
          </Group>
          <ErrorAlert error={create.error} title="The project was not created" />
        </Stack>
      </form>
    </Paper>
  )
}
