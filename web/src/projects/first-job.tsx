import { Button, Group, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { SendOnce } from '../app/send-once.ts'
import { Failure } from '../shown/failure.tsx'
import { setupQuery } from './setup.ts'

const suggestion = 'Read the start page as a newcomer would. Mend typos, dead links and steps that are missing.'

export function FirstJob({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const [prompt, setPrompt] = useState(suggestion)
  const once = useRef(new SendOnce()) // posted twice by an impatient hand, it is one job
  const post = useMutation({
    mutationFn: (body: { prompt: string }) =>
      client.jobs.create(projectId, body, { idempotencyKey: once.current.keyFor(body) }),
    onSuccess: () => {
      once.current.sent()
      return queryClient.invalidateQueries({ queryKey: setupQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    post.mutate({ prompt })
  }
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Instruction"
        required
        autosize
        minRows={2}
        maxLength={50_000}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      <Group mt="sm">
        <Button type="submit" loading={post.isPending} disabled={prompt.trim() === ''}>
          Post the job
        </Button>
      </Group>
      <Failure error={post.error} title="The job was not posted" />
    </form>
  )
}
