import type { ProjectSettings } from '@colophon/sdk'
import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { FormEvent } from 'react'
import { Failure } from '../shown/failure.tsx'
import { RetentionField, useRetention } from './retention-field.tsx'
import { SettingsCard } from './settings-card.tsx'
import { SureModal } from './sure-modal.tsx'
import { useChangeSettings } from './use-change-settings.ts'

export function RetentionCard({
  projectId,
  settings: { jobRetentionDays },
  canChange,
}: {
  projectId: string
  settings: ProjectSettings
  canChange: boolean
}) {
  const retention = useRetention(jobRetentionDays, { usual: 365, most: 36_500 })
  const { wanted, isPossible, isShorter } = retention
  const save = useChangeSettings(
    projectId,
    wanted === null ? 'Jobs are kept for ever.' : `Jobs are kept for ${wanted} days.`,
  )
  const [isAsked, asking] = useDisclosure()
  const keep = () => save.mutate({ jobRetentionDays: wanted }, { onSuccess: asking.close })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isShorter) asking.open()
    else keep()
  }
  return (
    <SettingsCard
      title="How long jobs are kept"
      lead="A job with its messages, events and diff. Pull requests stay where they are, and what was spent stays counted."
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <RetentionField
            retention={retention}
            label="Delete old jobs"
            amountLabel="Days after a job's last change"
            whenShorter={`Jobs that ended more than ${wanted} days ago are then deleted for good, within minutes.`}
            canChange={canChange}
          />
          <Failure error={isAsked ? null : save.error} />
          {canChange && (
            <Group>
              <Button type="submit" disabled={!isPossible || wanted === jobRetentionDays} loading={save.isPending}>
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      <SureModal
        opened={isAsked}
        title="Delete old jobs?"
        action="Delete them"
        mutation={save}
        onConfirm={keep}
        onClose={asking.close}
      >
        Jobs that ended more than {wanted} days ago are deleted for good, within minutes, and all others when they are
        as old.
      </SureModal>
    </SettingsCard>
  )
}
