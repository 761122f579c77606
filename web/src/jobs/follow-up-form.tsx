import type { AgentJob } from '@colophon/sdk'
import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { describeNextTurn } from './describe-next-turn.ts'
import { RequestErrorAlert } from './request-error-alert.tsx'
import { useSendMessage } from './use-send-message.ts'

export function FollowUpForm({ projectId, job }: { projectId: string; job: AgentJob }) {
  const [prompt, setPrompt] = useState('')
  const send = useSendMessage(projectId, job.id, () => setPrompt(''))
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (!send.isPending && prompt.trim() !== '') send.mutate({ prompt })
  }
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} mt="xl">
      <Stack gap="sm">
        <Textarea
          label="Follow-up message"
          placeholder={job.status === 'failed' ? 'Try again.' : 'Make it shorter, and add an example.'}
          autosize
          minRows={2}
          maxRows={14}
          maxLength={50_000}
          value={prompt}
          onChange={({ currentTarget: { value } }) => setPrompt(value)}
          onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
        />
        <RequestErrorAlert projectId={projectId} error={send.error} title="The message was not sent" />
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" c="dimmed">
            {describeNextTurn(job)}
          </Text>
          <Button type="submit" loading={send.isPending} disabled={prompt.trim() === ''} style={{ flexShrink: 0 }}>
            Send
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}
