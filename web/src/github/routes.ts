import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../app/roots.tsx'
import { readBrought } from './search.ts'

export const githubRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/github/new-app',
    /** Where to go on when it is there. */
    validateSearch: ({ project }: Record<string, unknown>): { project?: string } =>
      typeof project === 'string' ? { project } : {},
    component: lazyRouteComponent(() => import('./new-app-page.tsx'), 'NewAppPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/github/app-made',
    validateSearch: readBrought,
    component: lazyRouteComponent(() => import('./app-made-page.tsx'), 'AppMadePage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/github/installed',
    validateSearch: readBrought,
    component: lazyRouteComponent(() => import('./installed-page.tsx'), 'InstalledPage'),
  }),
] as const
