import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { rootRoute, signedInRoute } from '../app/roots.tsx'
import { sessionQuery } from '../app/session.ts'

/** Where to go on after signing in; only an address of ours. And what the provider said, for whoever comes back from it in vain. */
const onwards = ({ to, error }: Record<string, unknown>): { to?: string; error?: string } => ({
  ...(typeof to === 'string' && /^\/(?![/\\])/.test(to) && { to }),
  ...(typeof error === 'string' && { error }),
})

export const peopleRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/sign-in',
    validateSearch: onwards,
    beforeLoad: async ({ context: { queryClient }, search }) => {
      const { person, needsFirstOwner } = await queryClient.ensureQueryData(sessionQuery)
      if (needsFirstOwner) throw redirect({ to: '/welcome' })
      // Who is signed in and asks for this page may be invited under another address: the invitation says so.
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
    component: lazyRouteComponent(() => import('./welcome-page.tsx'), 'WelcomePage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/invitation',
    loader: ({ context: { queryClient } }) => queryClient.ensureQueryData(sessionQuery),
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/new-password',
    component: lazyRouteComponent(() => import('./new-password-page.tsx'), 'NewPasswordPage'),
  }),
] as const

export const signedInPeopleRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
] as const
