import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { CopyBlock } from '../shown/copy-block.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { Failure } from '../shown/failure.tsx'
import { runnersQuery } from './queries.ts'
import { runnerCommand } from './runner-command.ts'
import { SettingsCard } from './settings-card.tsx'

export function MakeRunnerCard({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const fresh = useFreshSession()
  const [name, setName] = useState('')
  const make = useMutation({
    mutationFn: () => fresh(() => client.runners.create(projectId, { name: name.trim() })),
    onSuccess: () => {
      setName('')
      return queryClient.invalidateQueries({ queryKey: runnersQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const made = make.data
  return (
    <SettingsCard
      title="Make a runner"
      lead="It gets turns of this project alone. It can stand anywhere that reaches the gateway: Linux, Node 24, bubblewrap, git, ripgrep and fd are all that it needs."
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
          <Button type="submit" disabled={name.trim() === ''} loading={make.isPending}>
            Make runner
          </Button>
        </Group>
      </form>
      <Failure error={make.error} />
      {made && (
        <Alert color="green" title={`The token of ${made.runner.name}`} role="status">
          <Stack gap="sm">
            <CopyLine label="Token" value={made.token} />
            <Text size="sm">
              It is shown this once and stored nowhere: keep it now. Start the runner, in a checkout of Colophon, with
            </Text>
            <CopyBlock label="the command" text={runnerCommand(made.gatewayUrl, made.token)} />
            <Text size="sm">
              {made.gatewayUrl === null
                ? 'Put the address of your gateway into it. '
                : 'On another machine, put the address by which it reaches the gateway. '}
              To run it as a service, see <Code>docs/runners.md</Code> in the checkout.
            </Text>
          </Stack>
        </Alert>
      )}
    </SettingsCard>
  )
}
