import { ColophonError } from '@colophon/sdk'
import { Alert, Group } from '@mantine/core'
import { toErrorDetail } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { findHelpLinks, type HelpLink } from './failure-guidance.ts'

/** The server's message about a failed request, with links to the pages that help. */
export function RequestErrorAlert({ projectId, error, title }: { projectId: string; error: unknown; title: string }) {
  if (!error) return null
  return (
    <Alert color="red" title={title} role="alert">
      {toErrorDetail(error)}
      {error instanceof ColophonError && <HelpLinks projectId={projectId} links={findHelpLinks(error.code)} />}
    </Alert>
  )
}

export function HelpLinks({ projectId, links }: { projectId: string; links: readonly HelpLink[] }) {
  if (links.length === 0) return null
  return (
    <Group gap="md" mt="xs">
      {links.map(({ to, hash = '', label }) => (
        <AnchorLink
          key={label}
          to={to}
          params={{ projectId }}
          hash={hash}
          size="sm"
          fw={600}
          c="inherit"
          underline="always"
        >
          {label}
        </AnchorLink>
      ))}
    </Group>
  )
}
