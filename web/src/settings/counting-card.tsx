import type { AnalyticsSettings } from '@colophon/sdk'
import { Button, Group, Radio, Stack, Switch, TagsInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { viewSettingsQuery } from '../analytics/queries.ts'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { RetentionField, useRetention } from './retention-field.tsx'
import { tellSaved } from './saved.ts'
import { SettingsCard } from './settings-card.tsx'
import { asOrigin } from './site-origin.ts'
import { SureModal } from './sure-modal.tsx'

export function CountingCard({
  projectId,
  settings,
  canChange,
}: {
  projectId: string
  settings: AnalyticsSettings
  canChange: boolean
}) {
  const queryClient = useQueryClient()
  const [typed, setTyped] = useState(settings)
  const retention = useRetention(settings.retentionMonths, { usual: 25, most: 1200 })
  const [isAsked, asking] = useDisclosure()
  const change = (part: Partial<AnalyticsSettings>) => setTyped((before) => ({ ...before, ...part }))
  const wanted = { ...typed, retentionMonths: retention.wanted }
  const save = useMutation({
    mutationFn: () => client.views.changeSettings(projectId, wanted),
    onSuccess: (changed) => {
      queryClient.setQueryData(viewSettingsQuery(projectId).queryKey, changed)
      setTyped(changed)
      asking.close()
      tellSaved('Saved. It holds within seconds.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (retention.isShorter) asking.open()
    else save.mutate()
  }
  return (
    <SettingsCard title="Counting">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Radio.Group
            label="People are counted by"
            value={typed.humanSource}
            onChange={(by) => change({ humanSource: by === 'servers' ? 'servers' : 'script' })}
          >
            <Stack gap="xs" mt="xs">
              <Radio
                value="script"
                label="The script on the site"
                description="Sees browsers that run scripts, also where pages come from a cache"
                disabled={!canChange}
              />
              <Radio
                value="servers"
                label="Servers and their logs"
                description="Sees every request that reaches them, and no page that a cache answered"
                disabled={!canChange}
              />
            </Stack>
          </Radio.Group>
          <Radio.Group
            label="AI means"
            description="Where a question does not say. AIs are always counted by servers: they run no scripts"
            value={typed.aiScope}
            onChange={(ai) => change({ aiScope: ai === 'assistants' ? 'assistants' : 'all' })}
          >
            <Stack gap="xs" mt="xs">
              <Radio value="all" label="Assistants, AI search and training crawlers" disabled={!canChange} />
              <Radio
                value="assistants"
                label="Assistants alone"
                description="Those that read a page because somebody asked them just then"
                disabled={!canChange}
              />
            </Stack>
          </Radio.Group>
          <TagsInput
            label="Sites of the script"
            description="Where it may stand, like https://docs.example.com; empty: anywhere. Press Enter after each"
            placeholder={typed.allowedOrigins.length === 0 ? 'Anywhere' : undefined}
            value={typed.allowedOrigins}
            onChange={(origins) => change({ allowedOrigins: [...new Set(origins.map(asOrigin))] })}
            readOnly={!canChange}
          />
          <Switch
            label="Do not count who asks not to be tracked"
            description="Of the script: readers whose browser sends Do-Not-Track or Global Privacy Control"
            checked={typed.respectDoNotTrack}
            onChange={(event) => change({ respectDoNotTrack: event.currentTarget.checked })}
            disabled={!canChange}
          />
          <RetentionField
            retention={retention}
            label="Delete old views"
            amountLabel="Whole months to keep, besides the running one"
            whenShorter="Views that are older are then deleted for good."
            canChange={canChange}
          />
          <Failure error={isAsked ? null : save.error} />
          {canChange && (
            <Group>
              <Button
                type="submit"
                disabled={!retention.isPossible || JSON.stringify(wanted) === JSON.stringify(settings)}
                loading={save.isPending}
              >
                Save
              </Button>
            </Group>
          )}
        </Stack>
      </form>
      <SureModal
        opened={isAsked}
        title="Delete old views?"
        action="Delete them"
        mutation={save}
        onConfirm={() => save.mutate()}
        onClose={asking.close}
      >
        Views from before the last {retention.wanted} whole months are deleted for good, and all others when they are as
        old.
      </SureModal>
    </SettingsCard>
  )
}
