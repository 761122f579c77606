import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { rootRoute, signedInRoute } from '../app/roots.tsx'
import { sessionQuery } from '../app/session.ts'

/** `to`: where to go after signing in, only within this site. `error`: why signing in with the provider failed. */
const validateSignInSearch = ({ to, error }: Record<string, unknown>): { to?: string; error?: string } => ({
  ...(typeof to === 'string' && /^\/(?![/\\])/.test(to) && { to }),
  ...(typeof error === 'string' && { error }),
})

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: validateSignInSearch,
    beforeLoad: async ({ context: { queryClient }, search }) => {
      const { person, needsFirstOwner } = await queryClient.ensureQueryData(sessionQuery)
      if (needsFirstOwner) throw redirect({ to: '/welcome' })
      // A signed-in person may be invited under another email address. The invitation page then sends them here.
      if (person !== null && !search.to?.startsWith('/invitation')) throw redirect({ href: search.to ?? '/' })
    },
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/welcome',
    beforeLoad: async ({ context: { queryClient } }) => {
      const { needsFirstOwner } = await queryClient.ensureQueryData(sessionQuery)
      if (!needsFirstOwner) throw redirect({ to: '/' })
    },
    component: lazyRouteComponent(() => import('./create-first-owner-page.tsx'), 'CreateFirstOwnerPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(sessionQuery),
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/second-factor',
    beforeLoad: async ({ context: { queryClient } }) => {
      const { mustSetUpSecondFactor } = await queryClient.ensureQueryData(sessionQuery)
      if (!mustSetUpSecondFactor) throw redirect({ to: '/' })
    },
    component: lazyRouteComponent(() => import('./required-second-factor-page.tsx'), 'RequiredSecondFactorPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/new-password',
    component: lazyRouteComponent(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
  }),
] as const

export const signedInPeopleRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/people',
    component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/audit',
    component: lazyRouteComponent(() => import('./instance-audit-page.tsx'), 'InstanceAuditPage'),
  }),
] as const
