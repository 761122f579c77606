import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { analyticsRoutes } from '../analytics/routes.ts'
import { githubRoutes } from '../github/routes.ts'
import { jobsRoutes } from '../jobs/routes.ts'
import { keysRoutes } from '../keys/routes.ts'
import { peopleRoutes, signedInPeopleRoutes } from '../people/routes.ts'
import { ofProjectRoutes, projectsRoutes } from '../projects/routes.ts'
import { settingsRoutes } from '../settings/routes.ts'
import { statusRoutes } from '../status/routes.ts'
import { NotFound } from './not-found.tsx'
import { PageFailure } from './page-failure.tsx'
import { queryClient } from './query-client.ts'
import { projectRoute, rootRoute, signedInRoute } from './roots.tsx'

const routeTree = rootRoute.addChildren([
  ...peopleRoutes,
  ...statusRoutes,
  signedInRoute.addChildren([
    ...signedInPeopleRoutes,
    ...projectsRoutes,
    ...githubRoutes,
    projectRoute.addChildren([...ofProjectRoutes, ...jobsRoutes, ...analyticsRoutes, ...keysRoutes, ...settingsRoutes]),
  ]),
])

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // what is kept, and how long, is the query client's business
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
  // Read as JSON, which is usual, a code that GitHub hands out, like 12e3456, would be a number.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(JSON.stringify),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
