import type { ProjectSettings } from '@colophon/sdk'
import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { FormEvent } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ConfirmModal } from './confirm-modal.tsx'
import { RetentionField, useRetentionFieldState } from './retention-field.tsx'
import { SettingsCard } from './settings-card.tsx'
import { useChangeProjectSettings } from './use-change-project-settings.ts'

export function JobRetentionCard({
  projectId,
  settings: { jobRetentionDays },
  canChange,
}: {
  projectId: string
  settings: ProjectSettings
  canChange: boolean
}) {
  const retention = useRetentionFieldState(jobRetentionDays, { defaultAmount: 365, max: 36_500 })
  const { value: days, isValid, isShorter } = retention
  const save = useChangeProjectSettings(
    projectId,
    days === null ? 'Saved. Jobs are kept forever.' : `Saved. Jobs are kept for ${days} days.`,
  )
  const [isConfirming, confirmation] = useDisclosure()
  const saveDays = () => save.mutate({ jobRetentionDays: days }, { onSuccess: confirmation.close })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isShorter) confirmation.open()
    else saveDays()
  }
  return (
    <SettingsCard
      title="Job retention"
      lead="Deletes old jobs with their messages, events and diffs. Pull requests stay on the code host, and usage still counts toward the budget."
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <RetentionField
            retention={retention}
            label="Delete old jobs"
            amountLabel="Days after the last change of a job"
            deletionWarning={`When you save, jobs that ended more than ${days} days ago are permanently deleted within minutes.`}
            canChange={canChange}
          />
          <ErrorAlert error={isConfirming ? null : save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isValid || days === jobRetentionDays} loading={save.isPending}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      <ConfirmModal
        opened={isConfirming}
        title="Delete old jobs?"
        action="Delete old jobs"
        mutation={save}
        onConfirm={saveDays}
        onClose={confirmation.close}
      >
        Jobs that ended more than {days} days ago are permanently deleted within minutes. From then on, every job is
        deleted when it reaches that age.
      </ConfirmModal>
    </SettingsCard>
  )
}
