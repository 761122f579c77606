import { Anchor, Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { type PendingAuthorization, savePendingAuthorization } from './pending-authorization.ts'

const flows = {
  install: { url: 'installUrl', button: 'Install on GitHub', link: 'Install the App on another repository' },
  choose: {
    url: 'authorizeUrl',
    button: 'Choose a repository on GitHub',
    link: 'Already installed? Choose a repository',
  },
} as const

type Flow = keyof typeof flows

/**
 * Goes to GitHub, to install the App or only to authorize, and comes back with repositories to choose from. The likelier
 * flow is the button, the other one the link.
 */
export function GithubAuthorizationButtons({
  authorization,
  button,
  link,
}: {
  authorization: PendingAuthorization
  button?: Flow
  link: Flow
}) {
  const start = useMutation({
    // An authorization is started on the click, not when the button is shown: it works once and expires soon.
    mutationFn: async (flow: Flow) => {
      const started = await client.github.startAuthorization(authorization.projectId, {
        baseUrl: authorization.baseUrl,
      })
      savePendingAuthorization(authorization)
      window.location.assign(started[flows[flow].url])
    },
  })
  return (
    <>
      <ErrorAlert error={start.error} />
      <Group gap="md">
        {button && (
          <Button loading={start.isPending} onClick={() => start.mutate(button)}>
            {flows[button].button}
          </Button>
        )}
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => start.mutate(link)}>
          {flows[link].link}
        </Anchor>
      </Group>
    </>
  )
}
