import type { CreatedAccess } from '@colophon/sdk'
import { Checkbox, Loader, Stack, Text } from '@mantine/core'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { formatCreator } from './format-creator.ts'

const kindLabels = {
  key: 'API key',
  federated_identity: 'Federated identity',
  runner: 'Runner',
  invitation: 'Invitation for',
} as const

interface Props {
  query: { data: { created: readonly CreatedAccess[] } | undefined; error: unknown; isPending: boolean }
  /** Whose access ends, for example an email address. */
  person: string
  kept: readonly string[]
  /** Undefined: everything is revoked. */
  setKept?: (ids: readonly string[]) => void
}

/** What is revoked with a person's access. Those that are checked are revoked, the others are taken over. */
export function CreatedAccessList({ query: { data, error, isPending }, person, kept, setKept }: Props) {
  if (isPending) return <Loader size="sm" aria-label="Loading what they created" />
  if (!data) return <ErrorAlert error={error} title="What they created could not be loaded" />
  const { created } = data
  if (created.length === 0)
    return <Text size="sm">They created no API keys, federated identities, runners or invitations that are valid.</Text>
  const creatorOf = ({ createdBy }: CreatedAccess) =>
    createdBy === person ? '' : ` · by ${formatCreator(createdBy, created)}`
  return (
    <Stack gap="xs">
      <Text size="sm">
        {setKept
          ? 'They created the following. What is checked is revoked. You take over the rest: it is revoked when you lose access.'
          : 'They created the following, which is revoked:'}
      </Text>
      {created.map((access) => (
        <Checkbox
          key={access.id}
          checked={!kept.includes(access.id)}
          readOnly={setKept === undefined}
          onChange={(event) =>
            setKept?.(event.currentTarget.checked ? kept.filter((id) => id !== access.id) : [...kept, access.id])
          }
          styles={{ label: { overflowWrap: 'anywhere' } }}
          label={`${kindLabels[access.kind]} ${access.name}`}
          description={
            <>
              {access.kind !== 'invitation' &&
                (access.lastUsedAt === null ? (
                  'Never used'
                ) : (
                  <>
                    Last used <RelativeTime at={access.lastUsedAt} />
                  </>
                ))}
              {access.kind === 'invitation' && (
                <>
                  Created <RelativeTime at={access.createdAt} />
                </>
              )}
              {creatorOf(access)}
            </>
          }
        />
      ))}
      {kept.length > 0 && (
        <Text size="sm" c="dimmed">
          They still know the secrets of what you keep. Replace it soon.
        </Text>
      )}
    </Stack>
  )
}
