import type { AnalyticsSettings } from '@colophon/sdk'
import { Button, Group, Radio, Stack, Switch, TagsInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { viewSettingsQuery } from '../analytics/queries.ts'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { ConfirmModal } from './confirm-modal.tsx'
import { notifySaved } from './notify-saved.ts'
import { RetentionField, useRetentionFieldState } from './retention-field.tsx'
import { SettingsCard } from './settings-card.tsx'
import { toOrigin } from './to-origin.ts'

const changedFields = (before: AnalyticsSettings, after: AnalyticsSettings): Partial<AnalyticsSettings> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof AnalyticsSettings]),
    ),
  )

export function ViewCountingCard({
  projectId,
  settings,
  canChange,
}: {
  projectId: string
  settings: AnalyticsSettings
  canChange: boolean
}) {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState(settings)
  const retention = useRetentionFieldState(settings.retentionMonths, { defaultAmount: 25, max: 1200 })
  const [isConfirming, confirmation] = useDisclosure()
  const change = (changes: Partial<AnalyticsSettings>) => setTyped((previous) => ({ ...previous, ...changes }))
  const newSettings = { ...typed, retentionMonths: retention.value }
  const save = useMutation({
    // Only what changed: sending `humanSource` unchanged would pin it, and the first site key would no longer switch it.
    mutationFn: () =>
      withReauthentication(() => client.views.changeSettings(projectId, changedFields(settings, newSettings))),
    onSuccess: (saved) => {
      queryClient.setQueryData(viewSettingsQuery(projectId).queryKey, saved)
      setTyped(saved)
      confirmation.close()
      notifySaved('Saved. It takes effect within a minute.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (retention.isShorter) confirmation.open()
    else save.mutate()
  }
  return (
    <SettingsCard title="Counting">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Radio.Group
            label="Human views are counted by"
            description="By default your servers, until you create the first site key. Then the script"
            value={typed.humanSource}
            onChange={(source) => change({ humanSource: source === 'servers' ? 'servers' : 'script' })}
          >
            <Stack gap="xs" mt="xs">
              <Radio
                value="script"
                label="The script on your site"
                description="Counts browsers that run scripts, even if a CDN or cache serves the page"
                disabled={!canChange}
              />
              <Radio
                value="servers"
                label="Your servers and their logs"
                description="Counts every request that reaches your servers, but no page that a CDN or cache serves"
                disabled={!canChange}
              />
            </Stack>
          </Radio.Group>
          <Radio.Group
            label="AI includes"
            description="Default for reports. AI views are always counted by servers and logs, because most AI clients do not run scripts. AI agents that control a normal browser look like humans and count as human"
            value={typed.aiScope}
            onChange={(scope) => change({ aiScope: scope === 'assistants' ? 'assistants' : 'all' })}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="all" label="Assistants, AI search and training crawlers" disabled={!canChange} />
              <Radio
                value="assistants"
                label="Assistants only"
                description="Clients that read a page on behalf of a user"
                disabled={!canChange}
              />
            </Stack>
          </Radio.Group>
          <TagsInput
            label="Allowed origins"
            description="Sites that can use the script, for example https://docs.example.com. Press Enter after each one. Leave empty to allow all sites"
            placeholder={typed.allowedOrigins.length === 0 ? 'All sites' : undefined}
            value={typed.allowedOrigins}
            onChange={(origins) => change({ allowedOrigins: [...new Set(origins.map(toOrigin))] })}
            readOnly={!canChange}
          />
          <Switch
            label="Respect Do Not Track and Global Privacy Control"
            description="The script does not count browsers that send one of these signals"
            checked={typed.respectDoNotTrack}
            onChange={(event) => change({ respectDoNotTrack: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <RetentionField
            retention={retention}
            label="Delete old views"
            amountLabel="Whole months to keep, in addition to the current one"
            deletionWarning="When you save, older views are permanently deleted."
            canChange={canChange}
          />
          <ErrorAlert error={isConfirming ? null : save.error} />
          {canChange && (
            <Group>
              <Button
                type="submit"
                disabled={!retention.isValid || JSON.stringify(newSettings) === JSON.stringify(settings)}
                loading={save.isPending}
              >
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      <ConfirmModal
        opened={isConfirming}
        title="Delete old views?"
        action="Delete old views"
        mutation={save}
        onConfirm={() => save.mutate()}
        onClose={confirmation.close}
      >
        Views older than the last {retention.value} whole months are permanently deleted. From then on, every view is
        deleted when it reaches that age.
      </ConfirmModal>
    </SettingsCard>
  )
}
