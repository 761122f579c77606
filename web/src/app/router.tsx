import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { analyticsRoutes } from '../analytics/routes.ts'
import { githubRoutes } from '../github/routes.ts'
import { jobsRoutes } from '../jobs/routes.ts'
import { keysRoutes } from '../keys/routes.ts'
import { peopleRoutes, signedInPeopleRoutes } from '../people/routes.ts'
import { projectHomeRoutes, projectsRoutes } from '../projects/routes.ts'
import { settingsRoutes } from '../settings/routes.ts'
import { instanceSpendRoutes, spendRoutes } from '../spend/routes.ts'
import { instanceStatusRoutes, statusRoutes } from '../status/routes.ts'
import { NotFound } from './not-found.tsx'
import { PageError } from './page-error.tsx'
import { queryClient } from './query-client.ts'
import { projectRoute, rootRoute, signedInRoute } from './roots.tsx'

const routeTree = rootRoute.addChildren([
  ...peopleRoutes,
  ...statusRoutes,
  signedInRoute.addChildren([
    ...signedInPeopleRoutes,
    ...projectsRoutes,
    ...githubRoutes,
    ...instanceSpendRoutes,
    ...instanceStatusRoutes,
    projectRoute.addChildren([
      ...projectHomeRoutes,
      ...jobsRoutes,
      ...analyticsRoutes,
      ...keysRoutes,
      ...spendRoutes,
      ...settingsRoutes,
    ]),
  ]),
])

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // the query client decides what is cached, and for how long
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageError,
  scrollRestoration: true,
  // By default values are parsed as JSON, which would turn an authorization code of GitHub such as 12e3456 into a number.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(JSON.stringify),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
