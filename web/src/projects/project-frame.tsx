import { Alert, Text, Title } from '@mantine/core'
import { IconLock, IconPlayerPause } from '@tabler/icons-react'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useSession } from '../app/session.ts'
import { AnchorLink } from '../shown/links.tsx'
import { mayManage, useProjectOfMine } from './project.ts'

/** What all pages of one project share: that it is paused, and what the role of whoever looks does not allow. */
export function ProjectFrame() {
  const project = useProjectOfMine()
  const { pathname } = useLocation()
  if (!project) return <NoSuchProject />
  return (
    <>
      {project.pausedAt !== null && (
        <Alert color="yellow" icon={<IconPlayerPause />} title="This project is paused" mb="lg">
          Jobs wait and no model is called until{' '}
          {mayManage(project) ? (
            <AnchorLink to="/projects/$projectId/settings/agent" params={{ projectId: project.id }} inherit>
              it goes on
            </AnchorLink>
          ) : (
            'an owner lets it go on'
          )}
          . Page views are counted as always.
        </Alert>
      )}
      {pathname.includes('/settings/') && !mayManage(project) && (
        <Alert color="gray" icon={<IconLock />} mb="lg">
          You can look at the settings as {project.role === 'editor' ? 'an editor' : 'a viewer'}; owners of the project
          can change them.
        </Alert>
      )}
      <Outlet />
    </>
  )
}

function NoSuchProject() {
  const { person } = useSession()
  return (
    <>
      <Title order={1} size="h2">
        No such project
      </Title>
      <Text mt="sm">
        There is none at this address, or {person?.email} is not a member of it. An owner of the project can invite you.{' '}
        <AnchorLink to="/">Go to your projects</AnchorLink>.
      </Text>
    </>
  )
}
