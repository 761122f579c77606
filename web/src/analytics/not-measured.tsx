import type { ViewsResult } from '@colophon/sdk'
import { Alert } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { AnchorLink } from '../shown/links.tsx'

const sentences = {
  ai: {
    title: 'AI readers are not measured',
    text: 'Only the script told of views in this range, and AI clients do not run scripts. Let your server, or its logs, tell of them too.',
  },
  human: {
    title: 'People are not measured',
    text: 'In this range only servers told of views, and in this project the script counts people. Add it, or let servers count people.',
  },
}

/** What nobody could have seen is said, and not drawn as 0. Where nothing at all was measured, the page says so itself. */
export function NotMeasured({
  coverage,
  projectId,
}: {
  coverage: ViewsResult['coverage'] | undefined
  projectId: string
}) {
  if (!coverage || coverage.human === coverage.ai) return null
  const { title, text } = sentences[coverage.ai === 'measured' ? 'human' : 'ai']
  return (
    <Alert icon={<IconEyeOff />} title={title} mb="lg" color="gray" variant="light">
      {text}{' '}
      <AnchorLink
        to="/projects/$projectId/analytics/sources"
        params={{ projectId }}
        inherit
        c="inherit"
        underline="always"
      >
        See Sources
      </AnchorLink>
    </Alert>
  )
}
