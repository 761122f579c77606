/** The parent routes of all pages: public pages, pages for signed-in people, and pages of a project. */

import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router'
import { projectsQuery } from '../projects/project.ts'
import { PageError } from './page-error.tsx'
import { sessionQuery } from './session.ts'
import { SignedInLayout } from './signed-in-layout.tsx'

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  errorComponent: PageError,
})

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context: { queryClient }, location }) => {
    const { person, needsFirstOwner, mustSetUpSecondFactor } = await queryClient.ensureQueryData(sessionQuery)
    if (needsFirstOwner) throw redirect({ to: '/welcome' })
    if (person === null) throw redirect({ to: '/sign-in', search: { to: location.href } })
    if (mustSetUpSecondFactor) throw redirect({ to: '/second-factor' })
  },
  loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(projectsQuery),
  component: SignedInLayout,
})

export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('../projects/project-layout.tsx'), 'ProjectLayout'),
})
