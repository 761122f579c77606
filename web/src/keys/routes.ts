import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../app/roots.tsx'

export const keysRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
  }),
] as const
