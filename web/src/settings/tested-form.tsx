import type { Repository, RepositoryTest } from '@colophon/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { useFreshSession } from '../people/fresh-session.tsx'
import { setupQuery } from '../projects/setup.ts'
import { Failure } from '../shown/failure.tsx'
import type { Place } from './place-fields.tsx'
import { repositoryQuery } from './queries.ts'
import { tellSaved } from './saved.ts'
import { TestResult } from './test-result.tsx'

/** Lets a repository be connected once a test of the very same values went well. */
export function TestedForm<Wanted extends Place>({
  projectId,
  wanted,
  test,
  connect,
  onConnected,
  children,
}: {
  projectId: string
  /** Undefined: something is not filled in yet. */
  wanted: Wanted | undefined
  test: (wanted: Wanted) => Promise<RepositoryTest>
  connect: (wanted: Wanted) => Promise<Repository>
  onConnected?: (() => void) | undefined
  children: ReactNode
}) {
  const queryClient = useQueryClient()
  const fresh = useFreshSession()
  const asTyped = JSON.stringify(wanted)
  const testing = useMutation({
    mutationFn: async (of: Wanted) => ({ of: JSON.stringify(of), ...(await test(of)) }),
  })
  const connecting = useMutation({
    mutationFn: (of: Wanted) => fresh(() => connect(of)),
    onSuccess: (repository) => {
      queryClient.setQueryData(repositoryQuery(projectId).queryKey, { repository })
      tellSaved(`${repository.owner}/${repository.name} is connected.`)
      onConnected?.()
      return queryClient.invalidateQueries({ queryKey: setupQuery(projectId).queryKey })
    },
  })
  const result = testing.data?.of === asTyped ? testing.data : undefined // of older values it says nothing
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!wanted) return
    if (result?.ok) connecting.mutate(wanted)
    else testing.mutate(wanted)
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {children}
        {result && (
          <TestResult ok={result.ok} title={result.ok ? 'The connection works' : 'The connection does not work'}>
            <Stack gap={4}>
              <Text size="sm">{result.message}</Text>
              {result.found && wanted && <Found found={result.found} docsFolder={wanted.docsFolder} />}
            </Stack>
          </TestResult>
        )}
        <Failure error={testing.error ?? connecting.error} />
        <Group>
          <Button
            variant={result?.ok ? 'default' : 'filled'}
            loading={testing.isPending}
            disabled={!wanted}
            onClick={() => wanted && testing.mutate(wanted)}
          >
            Test connection
          </Button>
          <Button type="submit" disabled={!result?.ok} loading={connecting.isPending}>
            Connect
          </Button>
          {wanted && !result && !testing.isPending && (
            <Text size="sm" c="dimmed">
              Test it first; then it can be connected.
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
          There is no folder {docsFolder} on that branch yet. Is it spelled right?
        </Text>
      )}
      {docsFolderExists && pages !== null && (
        <Text size="sm">
          {pages === 0 ? `No pages in ${where} yet.` : `${pages} ${pages === 1 ? 'page' : 'pages'} in ${where}.`}
        </Text>
      )}
      <Text size="sm">
        {canManageWebhooks
          ? 'Pull requests will be followed by a webhook.'
          : 'Pull requests will be followed by asking every few minutes: a webhook cannot be made.'}
      </Text>
    </>
  )
}
