import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../app/roots.tsx'
import { prefetchClients, prefetchOverview, prefetchPageDetails } from './prefetch.ts'
import { type AnalyticsSearchParams, parseAnalyticsSearchParams as validateSearch } from './search.ts'

const loaderDeps = ({ search }: { search: AnalyticsSearchParams }) => search

export const analyticsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics',
    validateSearch,
    loaderDeps,
    loader: prefetchOverview,
    component: lazyRouteComponent(() => import('./analytics-page.tsx'), 'AnalyticsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics/page',
    validateSearch,
    loaderDeps,
    loader: prefetchPageDetails,
    component: lazyRouteComponent(() => import('./page-details-page.tsx'), 'PageDetailsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics/clients',
    validateSearch,
    loaderDeps,
    loader: prefetchClients,
    component: lazyRouteComponent(() => import('./clients-page.tsx'), 'ClientsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics/sources',
    validateSearch,
    component: lazyRouteComponent(() => import('./sources-page.tsx'), 'SourcesPage'),
  }),
] as const
