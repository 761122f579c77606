import type { Repository } from '@colophon/sdk'
import { ConnectWithToken } from './connect-with-token.tsx'
import { parseRepositoryAddress } from './repository-address.ts'

export function ConnectGitea(props: {
  projectId: string
  connected: Repository | undefined
  onConnected: (() => void) | undefined
}) {
  return (
    <ConnectWithToken
      {...props}
      host="gitea"
      parseAddress={parseRepositoryAddress}
      addressHint="URL of the repository page"
      addressExample="https://git.example.com/owner/name"
      tokenHint="From a user who can push. Create it under Settings, Applications, with read and write access to repositories. Stored encrypted and never shown again"
    />
  )
}
