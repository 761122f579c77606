import { Anchor, Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { rememberVisit, type Visit } from './way-back.ts'

const ways = {
  install: { url: 'installUrl', button: 'Install on GitHub', link: 'Install the App on another repository' },
  choose: {
    url: 'authorizeUrl',
    button: 'Choose a repository on GitHub',
    link: 'It is installed already: choose a repository',
  },
} as const

type Way = keyof typeof ways

/** To GitHub, and back with repositories to choose from: through installing the App, or past it. The likely way is the button. */
export function VisitGithub({ visit, button, link }: { visit: Visit; button?: Way; link: Way }) {
  const leave = useMutation({
    // A visit is begun when somebody leaves, not when the button is shown: what it hands out is good once and not for long.
    mutationFn: async (by: Way) => {
      const started = await client.github.startAuthorization(visit.projectId, { baseUrl: visit.baseUrl })
      rememberVisit(visit)
      window.location.assign(started[ways[by].url])
    },
  })
  return (
    <>
      <Failure error={leave.error} />
      <Group gap="md">
        {button && (
          <Button loading={leave.isPending} onClick={() => leave.mutate(button)}>
            {ways[button].button}
          </Button>
        )}
        <Anchor component="button" type="button" size="sm" ta="left" onClick={() => leave.mutate(link)}>
          {ways[link].link}
        </Anchor>
      </Group>
    </>
  )
}
