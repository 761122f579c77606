import type { Repository } from '@colophon/sdk'
import { List, Paper, Text } from '@mantine/core'
import { ConnectWithToken } from '../settings/connect-with-token.tsx'
import type { RepositoryAddress } from '../settings/repository-address.ts'
import { ExternalLink } from '../shown/external-link.tsx'
import { buildNewTokenUrl, githubComUrl, parseGithubRepositoryAddress, stripUrlScheme } from './github-address.ts'

export function ConnectWithGithubToken(props: {
  projectId: string
  connected: Repository | undefined
  onConnected: (() => void) | undefined
}) {
  return (
    <ConnectWithToken
      {...props}
      host="github"
      parseAddress={parseGithubRepositoryAddress}
      addressHint="Owner and name, or the URL. On GitHub Enterprise Server, the full URL"
      addressExample="owner/name"
      tokenHint="Stored encrypted and never shown again"
      tokenHelp={(address) => <TokenPermissions address={address} />}
    />
  )
}

/** Fine-grained tokens cannot have the Checks permission, unlike the App: Actions runs of a private repository are not visible. */
function TokenPermissions({ address }: { address: RepositoryAddress | undefined }) {
  const repository = address ?? { url: githubComUrl }
  return (
    <Paper p="md" withBorder>
      <Text size="sm">
        <ExternalLink href={buildNewTokenUrl(repository)} inherit>
          Create a fine-grained token on {stripUrlScheme(repository.url)}
        </ExternalLink>
        ; most of this is filled in for you:
      </Text>
      <List size="sm" mt="xs" spacing={4}>
        <List.Item>
          Resource owner: {address ? <b>{address.owner}</b> : 'the owner of the repository'}. Repository access: only{' '}
          {address ? <b>{address.name}</b> : 'this repository'}.
        </List.Item>
        <List.Item>
          <b>Contents</b>: read and write. <b>Pull requests</b>: read and write.
        </List.Item>
        <List.Item>
          To see checks and previews: <b>Commit statuses</b>, <b>Deployments</b> and <b>Actions</b>: read.
        </List.Item>
        <List.Item>
          To get updates immediately instead of every few minutes: <b>Webhooks</b>: read and write.
        </List.Item>
      </List>
    </Paper>
  )
}
