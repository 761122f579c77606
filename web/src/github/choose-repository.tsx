import type { GithubRepository } from '@colophon/sdk'
import { Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { ConnectRepositoryForm } from '../settings/connect-repository-form.tsx'
import { type DocsLocation, DocsLocationFields, trimDocsLocation } from '../settings/docs-location-fields.tsx'
import { repositoryQuery } from '../settings/queries.ts'
import styles from './choose-repository.module.css'
import { filterRepositories } from './filter-repositories.ts'

const maxWithoutSearch = 8

export function ChooseRepository({
  projectId,
  authorizationId,
  repositories,
  onConnected,
}: {
  projectId: string
  authorizationId: string
  repositories: readonly GithubRepository[]
  onConnected: () => void
}) {
  const [id, setId] = useState(repositories.length === 1 ? repositories[0]?.id : undefined)
  const [query, setQuery] = useState('')
  const [typedLocation, setTypedLocation] = useState<DocsLocation>()
  const connected = useQuery(repositoryQuery(projectId)).data?.repository
  const chosen = repositories.find((repository) => repository.id === id)
  const isConnected = chosen && connected?.owner === chosen.owner && connected.name === chosen.name
  const location =
    typedLocation ??
    (isConnected ? connected : { baseBranch: chosen?.defaultBranch ?? '', docsFolder: connected?.docsFolder ?? 'docs' })
  const { baseBranch, docsFolder } = trimDocsLocation(location)
  const shown = filterRepositories(repositories, query)
  return (
    <ConnectRepositoryForm
      projectId={projectId}
      input={
        chosen && baseBranch !== '' ? { authorizationId, repositoryId: chosen.id, baseBranch, docsFolder } : undefined
      }
      test={(input) => client.github.testRepository(projectId, input)}
      connect={(input) => client.github.connectRepository(projectId, input)}
      onConnected={onConnected}
    >
      {repositories.length > maxWithoutSearch && (
        <TextInput
          label="Search"
          placeholder={`Search ${repositories.length} repositories`}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
      )}
      <Radio.Group
        aria-label="Repositories"
        value={id === undefined ? null : String(id)}
        onChange={(value) => {
          setId(Number(value))
          setTypedLocation(undefined) // another repository has another default branch
        }}
      >
        <Stack gap="sm" className={styles.list}>
          {shown.map((repository) => (
            <Radio
              key={repository.id}
              value={String(repository.id)}
              label={`${repository.owner}/${repository.name}`}
              description={repository.isPrivate ? 'Private' : 'Public'}
            />
          ))}
          {shown.length === 0 && <Text size="sm">No repository matches “{query.trim()}”.</Text>}
        </Stack>
      </Radio.Group>
      {chosen && <DocsLocationFields location={location} onChange={setTypedLocation} />}
    </ConnectRepositoryForm>
  )
}
