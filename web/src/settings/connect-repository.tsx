import type { Repository } from '@colophon/sdk'
import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { ConnectGithub } from '../github/connect-github.tsx'
import { ConnectGitea } from './connect-gitea.tsx'

/** Selects the code host, then shows the ways to connect that it offers. */
export function ConnectRepository({
  projectId,
  connected,
  onConnected,
}: {
  projectId: string
  connected?: Repository
  onConnected?: () => void
}) {
  const [host, setHost] = useState<Repository['host']>(connected?.host ?? 'github')
  const ConnectOn = host === 'github' ? ConnectGithub : ConnectGitea
  return (
    <Stack gap="lg">
      <SegmentedControl
        aria-label="Code host"
        value={host}
        onChange={setHost}
        data={[
          { value: 'github', label: 'GitHub' },
          { value: 'gitea', label: 'Gitea or Forgejo' },
        ]}
        style={{ alignSelf: 'flex-start' }}
      />
      <ConnectOn projectId={projectId} connected={connected} onConnected={onConnected} />
    </Stack>
  )
}
