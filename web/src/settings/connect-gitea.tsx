import type { Repository } from '@colophon/sdk'
import { ConnectWithToken } from './connect-with-token.tsx'
import { readRepositoryAddress } from './repository-address.ts'

export function ConnectGitea(props: {
  projectId: string
  connected: Repository | undefined
  onConnected: (() => void) | undefined
}) {
  return (
    <ConnectWithToken
      {...props}
      host="gitea"
      read={readRepositoryAddress}
      addressHint="As your browser shows it"
      addressExample="https://git.example.com/owner/name"
      tokenHint="Of a user who may push: Gitea's Settings, Applications, with write access to repositories. It is stored sealed and never shown again"
    />
  )
}
