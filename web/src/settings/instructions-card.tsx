import type { ProjectSettings } from '@colophon/sdk'
import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { SettingsCard } from './settings-card.tsx'
import { useChangeProjectSettings } from './use-change-project-settings.ts'

const maxCharacters = 20_000
const numberFormat = new Intl.NumberFormat('en')

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
  const save = useChangeProjectSettings(projectId, 'Instructions saved. They apply from the next turn.')
  const newInstructions = text.trim() === '' ? null : text
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ instructions: newInstructions })
  }
  return (
    <SettingsCard
      title="Instructions"
      lead="Sent to the agent with every job, before the prompt: tone, spelling, structure, files to leave alone. The agent also reads AGENTS.md in your repository."
    >
      <form onSubmit={submit}>
        <Stack gap="xs">
          <Textarea
            label="Instructions for every job"
            placeholder={
              'Write in British English and address the reader as “you”.\nPut new pages into docs/guides and add them to the sidebar.'
            }
            autosize
            minRows={7}
            maxRows={24}
            maxLength={maxCharacters}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            readOnly={!canChange}
          />
          <ErrorAlert error={save.error} />
          <Group justify="space-between">
            {canChange && (
              <Button type="submit" disabled={newInstructions === settings.instructions} loading={save.isPending}>
                Save instructions
              </Button>
            )}
            <Text size="sm" c="dimmed">
              {numberFormat.format(text.length)} of {numberFormat.format(maxCharacters)} characters
            </Text>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  )
}
