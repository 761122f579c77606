import { ColophonError } from '@colophon/sdk'
import { Alert, Group } from '@mantine/core'
import { detailOf } from '../shown/failure.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { type Help, helpForRefusal } from './failure-words.ts'

/** A request that was refused, in the server's words, with the pages that help. */
export function Refusal({ projectId, error, title }: { projectId: string; error: unknown; title: string }) {
  if (!error) return null
  return (
    <Alert color="red" title={title} role="alert">
      {detailOf(error)}
      {error instanceof ColophonError && <HelpLinks projectId={projectId} help={helpForRefusal(error.code)} />}
    </Alert>
  )
}

export function HelpLinks({ projectId, help }: { projectId: string; help: readonly Help[] }) {
  if (help.length === 0) return null
  return (
    <Group gap="md" mt="xs">
      {help.map(({ to, label }) => (
        <AnchorLink key={to} to={to} params={{ projectId }} size="sm" fw={600} c="inherit" underline="always">
          {label}
        </AnchorLink>
      ))}
    </Group>
  )
}
