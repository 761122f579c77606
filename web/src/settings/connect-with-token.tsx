import type { Repository } from '@colophon/sdk'
import { PasswordInput, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { client } from '../app/client.ts'
import { ConnectRepositoryForm } from './connect-repository-form.tsx'
import { DocsLocationFields, trimDocsLocation } from './docs-location-fields.tsx'
import type { RepositoryAddress } from './repository-address.ts'

/** Connects a repository with its address and a token that can push to it. */
export function ConnectWithToken({
  projectId,
  host,
  connected,
  onConnected,
  parseAddress,
  addressHint,
  addressExample,
  tokenHint,
  tokenHelp,
}: {
  projectId: string
  host: Repository['host']
  connected: Repository | undefined
  onConnected: (() => void) | undefined
  parseAddress: (typed: string) => RepositoryAddress | undefined
  addressHint: string
  addressExample: string
  tokenHint: string
  /** How to create a token for the repository that was entered. */
  tokenHelp?: (address: RepositoryAddress | undefined) => ReactNode
}) {
  const previous = connected?.host === host ? connected : undefined
  const [typed, setTyped] = useState(previous ? `${previous.url}/${previous.owner}/${previous.name}` : '')
  const [location, setLocation] = useState({
    baseBranch: previous?.baseBranch ?? 'main',
    docsFolder: previous?.docsFolder ?? 'docs',
  })
  const [token, setToken] = useState('')
  const [wasTouched, setWasTouched] = useState(false)
  const address = parseAddress(typed)
  const { baseBranch, docsFolder } = trimDocsLocation(location)
  const isComplete = baseBranch !== '' && token.trim() !== ''
  return (
    <ConnectRepositoryForm
      projectId={projectId}
      input={address && isComplete ? { host, ...address, baseBranch, docsFolder, token: token.trim() } : undefined}
      test={(input) => client.repository.test(projectId, input)}
      connect={(input) => client.repository.connect(projectId, input)}
      onConnected={onConnected}
    >
      <TextInput
        label="Repository"
        description={addressHint}
        placeholder={addressExample}
        required
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setWasTouched(true)}
        error={wasTouched && typed !== '' && !address && `Enter a repository like ${addressExample}`}
      />
      <DocsLocationFields location={location} onChange={setLocation} />
      {tokenHelp?.(address)}
      <PasswordInput
        label="Access token"
        description={tokenHint}
        required
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
    </ConnectRepositoryForm>
  )
}
