import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { CopyBlock } from '../shown/copy-block.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { runnersQuery } from './queries.ts'
import { buildRunnerCommand } from './runner-command.ts'
import { SettingsCard } from './settings-card.tsx'

export function CreateRunnerCard({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => withReauthentication(() => client.runners.create(projectId, { name: name.trim() })),
    onSuccess: () => {
      setName('')
      return queryClient.invalidateQueries({ queryKey: runnersQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const created = create.data
  return (
    <SettingsCard
      title="Create a runner"
      lead="It runs turns of this project only. You need a Linux machine that can reach the gateway."
    >
      <form onSubmit={submit}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Name"
            placeholder="build machine 1"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            style={{ flex: '1 1 220px' }}
          />
          <Button type="submit" disabled={name.trim() === ''} loading={create.isPending}>
            Create runner
          </Button>
        </Group>
      </form>
      <ErrorAlert error={create.error} />
      {created && (
        <Alert color="green" title={`Token for ${created.runner.name}`} role="status">
          <Stack gap="sm">
            <CopyLine label="Token" value={created.token} />
            <Text size="sm">
              Copy the token now. This is the only time it is shown. To run the runner as a service or in a container,
              follow{' '}
              <DocsLink page="runners" inherit>
                Runners
              </DocsLink>
              . To try it out, run this command in the Colophon folder of the machine, for example /opt/colophon:
            </Text>
            <CopyBlock label="runner command" text={buildRunnerCommand(created.gatewayUrl, created.token)} />
            <Text size="sm">
              {created.gatewayUrl === null
                ? 'Replace the example URL with the URL of your gateway.'
                : 'If the runner reaches the gateway at another URL, replace the URL in the command.'}
            </Text>
          </Stack>
        </Alert>
      )}
    </SettingsCard>
  )
}
