import type { AgentJob } from '@colophon/sdk'
import { Button, Group, Paper, Stack, Text, Textarea } from '@mantine/core'
import { getHotkeyHandler } from '@mantine/hooks'
import { type FormEvent, useState } from 'react'
import { Refusal } from './refusal.tsx'
import { useSendMessage } from './use-send-message.ts'

/** Goes on with a job: at once when it has ended, after what is under way when it has not. */
export function FollowUpBox({ projectId, job }: { projectId: string; job: AgentJob }) {
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
          label="Follow up"
          placeholder={job.status === 'failed' ? 'Try again.' : 'Make it shorter, and add an example.'}
          autosize
          minRows={2}
          maxRows={14}
          maxLength={50_000}
          value={prompt}
          onChange={({ currentTarget: { value } }) => setPrompt(value)}
          onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
        />
        <Refusal projectId={projectId} error={send.error} title="The message was not sent" />
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" c="dimmed">
            {job.status === 'active'
              ? 'It waits until the agent is done with what it does now.'
              : 'The agent goes on where it stopped, in the same pull request while that is open.'}
          </Text>
          <Button type="submit" loading={send.isPending} disabled={prompt.trim() === ''} style={{ flexShrink: 0 }}>
            Send
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}
