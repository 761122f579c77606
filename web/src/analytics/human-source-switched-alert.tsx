import { Alert } from '@mantine/core'
import { AnchorLink } from '../shown/links.tsx'

/** Shown after the first site key was created, which makes the script the source of human views. */
export function HumanSourceSwitchedAlert({ projectId }: { projectId: string }) {
  return (
    <Alert color="blue" title="Human views are now counted by the script" role="status">
      This is the first site key of the project, so the script now counts human views instead of your servers. Until the
      script is on your site, no human views are counted. You can switch back in the{' '}
      <AnchorLink to="/projects/$projectId/settings/views" params={{ projectId }} inherit underline="always">
        page view settings
      </AnchorLink>
      .
    </Alert>
  )
}
