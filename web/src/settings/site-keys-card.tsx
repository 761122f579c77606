import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { HumanSourceSwitchedAlert } from '../analytics/human-source-switched-alert.tsx'
import { siteKeysQuery, viewSettingsQuery } from '../analytics/queries.ts'
import { client } from '../app/client.ts'
import { renderScriptTag } from '../keys/examples.ts'
import { CopyLine } from '../shown/copy-line.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { ConfirmModal } from './confirm-modal.tsx'
import { DangerButton } from './danger-button.tsx'
import { SettingsCard } from './settings-card.tsx'

export function SiteKeysCard({ projectId, canChange }: { projectId: string; canChange: boolean }) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(siteKeysQuery(projectId))
  const [revoking, setRevoking] = useState<string>()
  const refresh = () =>
    Promise.all(
      [siteKeysQuery(projectId).queryKey, viewSettingsQuery(projectId).queryKey, ['setup', projectId]].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    )
  const create = useMutation({ mutationFn: () => client.views.createSiteKey(projectId), onSuccess: refresh })
  const revoke = useMutation({
    mutationFn: (siteKey: string) => client.views.revokeSiteKey(projectId, siteKey),
    onSuccess: () => {
      setRevoking(undefined)
      return refresh()
    },
  })
  const siteKeys = data?.siteKeys ?? []
  return (
    <SettingsCard
      title="Site keys"
      lead="Identify your site to the script that counts human views. Site keys are public: they can submit views and read nothing."
    >
      <ErrorAlert error={error ?? create.error} />
      {data && siteKeys.length === 0 && (
        <Text size="sm">No site keys yet. Create one, then add the script to every page of your site.</Text>
      )}
      {siteKeys.map(({ key, createdAt }) => (
        <Stack key={key} gap="xs">
          <Group justify="space-between" gap="xs">
            <CopyLine label="Site key" value={key} />
            <Group gap="sm">
              <Text size="sm" c="dimmed">
                Created <RelativeTime at={createdAt} />
              </Text>
              {canChange && (
                <DangerButton subject={key} onClick={() => setRevoking(key)}>
                  Revoke
                </DangerButton>
              )}
            </Group>
          </Group>
          <CopyLine label="Script" value={renderScriptTag({ origin: window.location.origin, siteKey: key })} />
        </Stack>
      ))}
      {siteKeys.length > 0 && (
        <Text size="sm" c="dimmed">
          Add the script to the <Code>head</Code> of every page. It sets no cookies.{' '}
          <DocsLink page="views" inherit>
            How page views are counted
          </DocsLink>
        </Text>
      )}
      {create.data?.humanSourceSwitched && <HumanSourceSwitchedAlert projectId={projectId} />}
      {canChange && (
        <Group>
          <Button
            variant={siteKeys.length === 0 ? 'filled' : 'default'}
            loading={create.isPending}
            onClick={() => create.mutate()}
          >
            Create site key
          </Button>
        </Group>
      )}
      <ConfirmModal
        opened={revoking !== undefined}
        title="Revoke this site key?"
        action="Revoke site key"
        mutation={revoke}
        onConfirm={() => revoking && revoke.mutate(revoking)}
        onClose={() => setRevoking(undefined)}
      >
        Within seconds, views of pages that still use this key are no longer counted. Views counted so far are kept.
      </ConfirmModal>
    </SettingsCard>
  )
}
