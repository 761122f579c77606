import type { Repository } from '@colophon/sdk'
import { List, Paper, Text } from '@mantine/core'
import { ConnectWithToken } from '../settings/connect-with-token.tsx'
import type { RepositoryAddress } from '../settings/repository-address.ts'
import { WebLink } from '../shown/web-link.tsx'
import { githubCom, hostOf, readGithubAddress, tokenPage } from './github-address.ts'

export function GithubToken(props: {
  projectId: string
  connected: Repository | undefined
  onConnected: (() => void) | undefined
}) {
  return (
    <ConnectWithToken
      {...props}
      host="github"
      read={readGithubAddress}
      addressHint="Its owner and name, or its address; of a GitHub Enterprise Server the whole address"
      addressExample="owner/name"
      tokenHint="It is stored sealed and never shown again"
      aboutToken={(address) => <WhatToGive address={address} />}
    />
  )
}

/** Fine-grained tokens cannot be given Checks, which the App can read: of a private repository, runs of Actions are not seen. */
function WhatToGive({ address }: { address: RepositoryAddress | undefined }) {
  const place = address ?? { url: githubCom }
  return (
    <Paper p="md" withBorder>
      <Text size="sm">
        <WebLink href={tokenPage(place)} inherit>
          Make a fine-grained token on {hostOf(place.url)}
        </WebLink>
        , where most of this is filled in for you:
      </Text>
      <List size="sm" mt="xs" spacing={4}>
        <List.Item>
          Resource owner: {address ? <b>{address.owner}</b> : 'whoever owns the repository'}. Repository access: only{' '}
          {address ? <b>{address.name}</b> : 'this repository'}.
        </List.Item>
        <List.Item>
          <b>Contents</b>: read and write. <b>Pull requests</b>: read and write.
        </List.Item>
        <List.Item>
          If checks and previews are to be seen: <b>Commit statuses</b>, <b>Deployments</b> and <b>Actions</b>: read.
        </List.Item>
        <List.Item>
          If news are to come at once rather than every few minutes: <b>Webhooks</b>: read and write.
        </List.Item>
      </List>
    </Paper>
  )
}
