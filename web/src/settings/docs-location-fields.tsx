import { SimpleGrid, TextInput } from '@mantine/core'
import { trimDocsFolder } from './repository-address.ts'

/** The branch and folder that the agent works in. */
export interface DocsLocation {
  baseBranch: string
  docsFolder: string
}

/** The values to send, from the values as typed. */
export const trimDocsLocation = ({ baseBranch, docsFolder }: DocsLocation): DocsLocation => ({
  baseBranch: baseBranch.trim(),
  docsFolder: trimDocsFolder(docsFolder),
})

export function DocsLocationFields({
  location,
  onChange,
  readOnly = false,
}: {
  location: DocsLocation
  onChange: (location: DocsLocation) => void
  readOnly?: boolean
}) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="Base branch"
        description="Target of pull requests"
        required
        value={location.baseBranch}
        onChange={(event) => onChange({ ...location, baseBranch: event.currentTarget.value })}
        readOnly={readOnly}
      />
      <TextInput
        label="Docs folder"
        description="The agent works on the pages in this folder. Leave empty for the whole repository"
        value={location.docsFolder}
        onChange={(event) => onChange({ ...location, docsFolder: event.currentTarget.value })}
        readOnly={readOnly}
      />
    </SimpleGrid>
  )
}
