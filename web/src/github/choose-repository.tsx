import type { GithubRepository } from '@colophon/sdk'
import { Radio, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { type Place, PlaceFields, readPlace } from '../settings/place-fields.tsx'
import { repositoryQuery } from '../settings/queries.ts'
import { TestedForm } from '../settings/tested-form.tsx'
import styles from './choose-repository.module.css'
import { matching } from './matching.ts'

const fewEnoughToSee = 8

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
  const [sought, setSought] = useState('')
  const [typed, setTyped] = useState<Place>()
  const connected = useQuery(repositoryQuery(projectId)).data?.repository
  const chosen = repositories.find((repository) => repository.id === id)
  const isConnected = chosen && connected?.owner === chosen.owner && connected.name === chosen.name
  const place =
    typed ??
    (isConnected ? connected : { baseBranch: chosen?.defaultBranch ?? '', docsFolder: connected?.docsFolder ?? 'docs' })
  const { baseBranch, docsFolder } = readPlace(place)
  const shown = matching(repositories, sought)
  return (
    <TestedForm
      projectId={projectId}
      wanted={
        chosen && baseBranch !== '' ? { authorizationId, repositoryId: chosen.id, baseBranch, docsFolder } : undefined
      }
      test={(wanted) => client.github.testRepository(projectId, wanted)}
      connect={(wanted) => client.github.connectRepository(projectId, wanted)}
      onConnected={onConnected}
    >
      {repositories.length > fewEnoughToSee && (
        <TextInput
          label="Search"
          placeholder={`In ${repositories.length} repositories`}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
      )}
      <Radio.Group
        aria-label="Repositories"
        value={id === undefined ? null : String(id)}
        onChange={(value) => {
          setId(Number(value))
          setTyped(undefined) // its branch is another
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
          {shown.length === 0 && <Text size="sm">None has “{sought.trim()}” in its name.</Text>}
        </Stack>
      </Radio.Group>
      {chosen && <PlaceFields place={place} onChange={setTyped} />}
    </TestedForm>
  )
}
