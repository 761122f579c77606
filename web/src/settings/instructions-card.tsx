import type { ProjectSettings } from '@colophon/sdk'
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Failure } from '../shown/failure.tsx'
import { SettingsCard } from './settings-card.tsx'
import { useChangeSettings } from './use-change-settings.ts'

const maxCharacters = 20_000
const number = new Intl.NumberFormat('en')

export function InstructionsCard({
  projectId,
  settings,
  canChange,
}: {
  projectId: string
  settings: ProjectSettings
  canChange: boolean
}) {
  const [text, setText] = useState(settings.instructions ?? '')
  const save = useChangeSettings(projectId, 'The agent is told so from the next turn on.')
  const wanted = text.trim() === '' ? null : text
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ instructions: wanted })
  }
  return (
    <SettingsCard
      title="Instructions"
      lead="Told to the agent in every job, before the prompt: voice, spelling, where things belong, what to leave alone. What stands in the repository's own AGENTS.md is read as well."
    >
      <form onSubmit={submit}>
        <Stack gap="xs">
          <Textarea
            label="Instructions for every job"
            placeholder={
              'We write in British English, and address the reader as “you”.\nNew pages go below docs/guides, and into the sidebar.'
            }
            autosize
            minRows={7}
            maxRows={24}
            maxLength={maxCharacters}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            readOnly={!canChange}
          />
          <Failure error={save.error} />
          <Group justify="space-between">
            {canChange && (
              <Button type="submit" disabled={wanted === settings.instructions} loading={save.isPending}>
                Save instructions
              </Button>
            )}
            <Text size="sm" c="dimmed">
              {number.format(text.length)} of {number.format(maxCharacters)} characters
            </Text>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  )
}
