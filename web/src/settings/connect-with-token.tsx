import type { Repository } from '@colophon/sdk'
import { PasswordInput, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { client } from '../app/client.ts'
import { PlaceFields, readPlace } from './place-fields.tsx'
import type { RepositoryAddress } from './repository-address.ts'
import { TestedForm } from './tested-form.tsx'

/** Asks for a repository, and for a token of somebody who may push to it. */
export function ConnectWithToken({
  projectId,
  host,
  connected,
  onConnected,
  read,
  addressHint,
  addressExample,
  tokenHint,
  aboutToken,
}: {
  projectId: string
  host: Repository['host']
  connected: Repository | undefined
  onConnected: (() => void) | undefined
  read: (typed: string) => RepositoryAddress | undefined
  addressHint: string
  addressExample: string
  tokenHint: string
  /** How to get one, for the repository that was typed. */
  aboutToken?: (address: RepositoryAddress | undefined) => ReactNode
}) {
  const before = connected?.host === host ? connected : undefined
  const [typed, setTyped] = useState(before ? `${before.url}/${before.owner}/${before.name}` : '')
  const [place, setPlace] = useState({
    baseBranch: before?.baseBranch ?? 'main',
    docsFolder: before?.docsFolder ?? 'docs',
  })
  const [token, setToken] = useState('')
  const [wasTouched, setWasTouched] = useState(false)
  const address = read(typed)
  const { baseBranch, docsFolder } = readPlace(place)
  const isWhole = baseBranch !== '' && token.trim() !== ''
  return (
    <TestedForm
      projectId={projectId}
      wanted={address && isWhole ? { host, ...address, baseBranch, docsFolder, token: token.trim() } : undefined}
      test={(wanted) => client.repository.test(projectId, wanted)}
      connect={(wanted) => client.repository.connect(projectId, wanted)}
      onConnected={onConnected}
    >
      <TextInput
        label="Repository address"
        description={addressHint}
        placeholder={addressExample}
        required
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setWasTouched(true)}
        error={wasTouched && typed !== '' && !address && `An address like ${addressExample}`}
      />
      <PlaceFields place={place} onChange={setPlace} />
      {aboutToken?.(address)}
      <PasswordInput
        label="Access token"
        description={tokenHint}
        required
        autoComplete="off"
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
      />
    </TestedForm>
  )
}
