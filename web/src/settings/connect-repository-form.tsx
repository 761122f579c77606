import type { Repository, RepositoryTest } from '@colophon/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { useReauthentication } from '../people/reauthentication.tsx'
import { setupQuery } from '../projects/setup.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import type { DocsLocation } from './docs-location-fields.tsx'
import { notifySaved } from './notify-saved.ts'
import { repositoryQuery } from './queries.ts'
import { TestResultAlert } from './test-result-alert.tsx'

/** Connects a repository, but only after a test of exactly the same values passed. */
export function ConnectRepositoryForm<Input extends DocsLocation>({
  projectId,
  input,
  test,
  connect,
  onConnected,
  children,
}: {
  projectId: string
  /** Undefined while a required field is empty. */
  input: Input | undefined
  test: (input: Input) => Promise<RepositoryTest>
  connect: (input: Input) => Promise<Repository>
  onConnected?: (() => void) | undefined
  children: ReactNode
}) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const inputJson = JSON.stringify(input)
  const testing = useMutation({
    mutationFn: async (tested: Input) => ({ testedJson: JSON.stringify(tested), ...(await test(tested)) }),
  })
  const connecting = useMutation({
    mutationFn: (tested: Input) => withReauthentication(() => connect(tested)),
    onSuccess: (repository) => {
      queryClient.setQueryData(repositoryQuery(projectId).queryKey, { repository })
      notifySaved(`${repository.owner}/${repository.name} is connected.`)
      onConnected?.()
      return queryClient.invalidateQueries({ queryKey: setupQuery(projectId).queryKey })
    },
  })
  const result = testing.data?.testedJson === inputJson ? testing.data : undefined // a result for older values does not count
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!input) return
    if (result?.ok) connecting.mutate(input)
    else testing.mutate(input)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {children}
        {result && (
          <TestResultAlert ok={result.ok} title={result.ok ? 'The connection works' : 'The connection does not work'}>
            <Stack gap={4}>
              <Text size="sm">{result.message}</Text>
              {result.found && input && <Found found={result.found} docsFolder={input.docsFolder} />}
            </Stack>
          </TestResultAlert>
        )}
        <ErrorAlert error={testing.error ?? connecting.error} />
        <Group>
          <Button
            variant={result?.ok ? 'default' : 'filled'}
            loading={testing.isPending}
            disabled={!input}
            onClick={() => input && testing.mutate(input)}
          >
            Test connection
          </Button>
          <Button type="submit" disabled={!result?.ok} loading={connecting.isPending}>
            Connect
          </Button>
          {input && !result && !testing.isPending && (
            <Text size="sm" c="dimmed">
              Test the connection before you connect.
            </Text>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Found({
  found: { docsFolderExists, pages, canManageWebhooks },
  docsFolder,
}: {
  found: NonNullable<RepositoryTest['found']>
  docsFolder: string
}) {
  const where = docsFolder === '' ? 'the repository' : docsFolder
  return (
    <>
      {docsFolderExists === false && (
        <Text size="sm" fw={600}>
          There is no folder {docsFolder} on that branch yet. Check the spelling.
        </Text>
      )}
      {docsFolderExists && pages !== null && (
        <Text size="sm">
          {pages === 0 ? `No pages in ${where} yet.` : `${pages} ${pages === 1 ? 'page' : 'pages'} in ${where}.`}
        </Text>
      )}
      <Text size="sm">
        {canManageWebhooks
          ? 'A webhook will report changes to pull requests.'
          : 'Pull requests will be polled every few minutes, because this token cannot create a webhook.'}
      </Text>
    </>
  )
}
