import type { ViewsResult } from '@colophon/sdk'
import { Alert } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { AnchorLink } from '../shown/links.tsx'

const messages = {
  ai: {
    title: 'AI views are not measured',
    text: 'Only the script reported views in this range, and most AI clients do not run scripts. Add your servers or import their logs.',
  },
  human: {
    title: 'Human views are not measured',
    text: 'Only servers or logs reported views in this range, but this project counts human views with the script. Add the script, or let servers count human views.',
  },
}

/** Explains that a kind of traffic is not measured, as opposed to 0. If neither is measured, the page says so itself. */
export function NotMeasuredAlert({
  coverage,
  projectId,
}: {
  coverage: ViewsResult['coverage'] | undefined
  projectId: string
}) {
  if (!coverage || coverage.human === coverage.ai) return null
  const { title, text } = messages[coverage.ai === 'measured' ? 'human' : 'ai']
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
        Set up sources
      </AnchorLink>
    </Alert>
  )
}
