import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute, signedInRoute } from '../app/roots.tsx'

export const statusRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/status',
    component: lazyRouteComponent(() => import('./status-page.tsx'), 'StatusPage'),
  }),
] as const

export const instanceStatusRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/instance',
    component: lazyRouteComponent(() => import('./instance-page.tsx'), 'InstancePage'),
  }),
] as const
