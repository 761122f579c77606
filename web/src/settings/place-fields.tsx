import { SimpleGrid, TextInput } from '@mantine/core'
import { readDocsFolder } from './repository-address.ts'

/** Where in a repository the agent works. */
export interface Place {
  baseBranch: string
  docsFolder: string
}

/** As it is sent, from how it was typed. */
export const readPlace = ({ baseBranch, docsFolder }: Place): Place => ({
  baseBranch: baseBranch.trim(),
  docsFolder: readDocsFolder(docsFolder),
})

export function PlaceFields({
  place,
  onChange,
  readOnly = false,
}: {
  place: Place
  onChange: (place: Place) => void
  readOnly?: boolean
}) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="Base branch"
        description="What pull requests go to"
        required
        value={place.baseBranch}
        onChange={(event) => onChange({ ...place, baseBranch: event.currentTarget.value })}
        readOnly={readOnly}
      />
      <TextInput
        label="Docs folder"
        description="The agent writes here and nowhere else; empty: anywhere"
        value={place.docsFolder}
        onChange={(event) => onChange({ ...place, docsFolder: event.currentTarget.value })}
        readOnly={readOnly}
      />
    </SimpleGrid>
  )
}
