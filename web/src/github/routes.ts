import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedInRoute } from '../app/roots.tsx'
import { parseGithubCallback } from './github-callback.ts'

export const githubRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/github/new-app',
    /** The project to return to when the App exists. */
    validateSearch: ({ project }: Record<string, unknown>): { project?: string } =>
      typeof project === 'string' ? { project } : {},
    component: lazyRouteComponent(() => import('./new-app-page.tsx'), 'NewAppPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/github/app-created',
    validateSearch: parseGithubCallback,
    component: lazyRouteComponent(() => import('./app-created-page.tsx'), 'AppCreatedPage'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/github/installed',
    validateSearch: parseGithubCallback,
    component: lazyRouteComponent(() => import('./installed-page.tsx'), 'InstalledPage'),
  }),
] as const
