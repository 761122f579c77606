import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { siteKeysQuery } from '../analytics/queries.ts'
import { client } from '../app/client.ts'
import { scriptTag } from '../keys/examples.ts'
import { Ago } from '../shown/ago.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { Failure } from '../shown/failure.tsx'
import { DangerButton } from './danger-button.tsx'
import { SettingsCard } from './settings-card.tsx'
import { SureModal } from './sure-modal.tsx'

export function SiteKeysCard({ projectId, canChange }: { projectId: string; canChange: boolean }) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(siteKeysQuery(projectId))
  const [revoked, setRevoked] = useState<string>()
  const again = () =>
    Promise.all(
      [siteKeysQuery(projectId).queryKey, ['setup', projectId]].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    )
  const make = useMutation({ mutationFn: () => client.views.createSiteKey(projectId), onSuccess: again })
  const revoke = useMutation({
    mutationFn: (siteKey: string) => client.views.revokeSiteKey(projectId, siteKey),
    onSuccess: () => {
      setRevoked(undefined)
      return again()
    },
  })
  const siteKeys = data?.siteKeys ?? []
  return (
    <SettingsCard
      title="Site keys"
      lead="By which the script on your site says whose views it tells of. Public: a site key lets views in, and nothing out."
    >
      <Failure error={error ?? make.error} />
      {data && siteKeys.length === 0 && (
        <Text size="sm">There is none yet. Make one, and put the script into your site's pages.</Text>
      )}
      {siteKeys.map(({ key, createdAt }) => (
        <Stack key={key} gap="xs">
          <Group justify="space-between" gap="xs">
            <CopyLine label="Site key" value={key} />
            <Group gap="sm">
              <Text size="sm" c="dimmed">
                made <Ago at={createdAt} />
              </Text>
              {canChange && (
                <DangerButton of={key} onClick={() => setRevoked(key)}>
                  Revoke
                </DangerButton>
              )}
            </Group>
          </Group>
          <CopyLine label="Script" value={scriptTag({ origin: window.location.origin, siteKey: key })} />
        </Stack>
      ))}
      {siteKeys.length > 0 && (
        <Text size="sm" c="dimmed">
          The script goes into every page, anywhere in its <Code>head</Code> or <Code>body</Code>. It sets no cookie.
        </Text>
      )}
      {canChange && (
        <Group>
          <Button
            variant={siteKeys.length === 0 ? 'filled' : 'default'}
            loading={make.isPending}
            onClick={() => make.mutate()}
          >
            Make a site key
          </Button>
        </Group>
      )}
      <SureModal
        opened={revoked !== undefined}
        title="Revoke this site key?"
        action="Revoke site key"
        mutation={revoke}
        onConfirm={() => revoked && revoke.mutate(revoked)}
        onClose={() => setRevoked(undefined)}
      >
        Pages that still have it in their script are no longer counted, within seconds. What was counted stays.
      </SureModal>
    </SettingsCard>
  )
}
