import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../app/roots.tsx'

export const statusRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/status',
    component: lazyRouteComponent(() => import('./status-page.tsx'), 'StatusPage'),
  }),
] as const
