import { Alert, Text, Title } from '@mantine/core'
import { IconLock, IconPlayerPause } from '@tabler/icons-react'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useSession } from '../app/session.ts'
import { AnchorLink } from '../shown/links.tsx'
import { ProjectSpendAlert } from '../spend/spend-alert.tsx'
import { canManage, useOptionalProject } from './project.ts'

/**
 * Shared by all pages of a project: notices that it is paused, that its budget is used, and that the role of the person does not
 * allow changes.
 */
export function ProjectLayout() {
  const project = useOptionalProject()
  const { pathname } = useLocation()
  if (!project) return <ProjectNotFound />
  return (
    <>
      {project.pausedAt !== null && (
        <Alert color="yellow" icon={<IconPlayerPause />} title="This project is paused" mb="lg">
          No agent runs and nothing is published. Jobs continue after{' '}
          {canManage(project) ? (
            <>
              you{' '}
              <AnchorLink to="/projects/$projectId/settings/agent" params={{ projectId: project.id }} inherit>
                resume the project
              </AnchorLink>
            </>
          ) : (
            'an owner resumes the project'
          )}
          . Page views are still counted.
        </Alert>
      )}
      <ProjectSpendAlert projectId={project.id} />
      {pathname.includes('/settings/') && !canManage(project) && (
        <Alert color="gray" icon={<IconLock />} mb="lg">
          As {project.role === 'editor' ? 'an editor' : 'a viewer'}, you can view these settings. Only owners can change
          them.
        </Alert>
      )}
      <Outlet />
    </>
  )
}

function ProjectNotFound() {
  const { person } = useSession()
  return (
    <>
      <Title order={1} size="h2">
        Project not found
      </Title>
      <Text mt="sm">
        This project does not exist, or {person?.email} is not a member of it. Ask an owner of the project to invite
        you, or <AnchorLink to="/">go to your projects</AnchorLink>.
      </Text>
    </>
  )
}
