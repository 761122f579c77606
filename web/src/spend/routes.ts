import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute, signedInRoute } from '../app/roots.tsx'

export const spendRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/spend',
    component: lazyRouteComponent(() => import('./project-spend-page.tsx'), 'ProjectSpendPage'),
  }),
] as const

export const instanceSpendRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/spend',
    component: lazyRouteComponent(() => import('./instance-spend-page.tsx'), 'InstanceSpendPage'),
  }),
] as const
