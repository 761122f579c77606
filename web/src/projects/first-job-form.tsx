import { Button, Group, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { IdempotencyKeyGenerator } from '../app/idempotency-key-generator.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { setupQuery } from './setup.ts'

const suggestion = 'Read the start page like a newcomer. Fix typos, broken links and missing steps.'

export function FirstJobForm({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const [prompt, setPrompt] = useState(suggestion)
  const sendOnce = useRef(new IdempotencyKeyGenerator()) // a double click or a retry creates one job
  const create = useMutation({
    mutationFn: (body: { prompt: string }) =>
      client.jobs.create(projectId, body, { idempotencyKey: sendOnce.current.keyFor(body) }),
    onSuccess: () => {
      sendOnce.current.sent()
      return queryClient.invalidateQueries({ queryKey: setupQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ prompt })
  }
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Prompt"
        required
        autosize
        minRows={2}
        maxLength={50_000}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <Group mt="sm">
        <Button type="submit" loading={create.isPending} disabled={prompt.trim() === ''}>
          Create job
        </Button>
      </Group>
      <ErrorAlert error={create.error} title="The job was not created" />
    </form>
  )
}
