import type { Repository } from '@colophon/sdk'
import { SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { ConnectGithub } from '../github/connect-github.tsx'
import { ConnectGitea } from './connect-gitea.tsx'

/** First the host, then the ways that it has in. */
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
        aria-label="Where the repository is"
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
