import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { projectRoute, signedInRoute } from '../app/roots.tsx'
import { sessionQuery } from '../app/session.ts'
import { projectsQuery } from './project.ts'

export const projectsRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/',
    // Who has one project and can make no other has nothing to choose.
    beforeLoad: async ({ context: { queryClient } }) => {
      const { person } = await queryClient.ensureQueryData(sessionQuery)
      const { projects } = await queryClient.ensureQueryData(projectsQuery)
      const [only, ...others] = projects
      if (only && others.length === 0 && !person?.isOperator)
        throw redirect({ to: '/projects/$projectId', params: { projectId: only.id } })
    },
    component: lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
  }),
] as const

export const ofProjectRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
  }),
] as const
