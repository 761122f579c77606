import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { projectRoute, signedInRoute } from '../app/roots.tsx'
import { sessionQuery } from '../app/session.ts'
import { projectsQuery } from './project.ts'

export const projectsRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/',
    // People who have one project and cannot create others go straight to it.
    beforeLoad: async ({ context: { queryClient } }) => {
      const { person } = await queryClient.ensureQueryData(sessionQuery)
      const { projects } = await queryClient.ensureQueryData(projectsQuery)
      const [first, ...others] = projects
      if (first && others.length === 0 && !person?.isOperator)
        throw redirect({ to: '/projects/$projectId', params: { projectId: first.id } })
    },
    component: lazyRouteComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
  }),
] as const

export const projectHomeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./project-home-page.tsx'), 'ProjectHomePage'),
  }),
] as const
