import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../app/roots.tsx'
import { askForOnePage, askForOverview, askForReaders } from './ask-early.ts'
import { type AnalyticsSearch, readAnalyticsSearch as validateSearch } from './search.ts'

const loaderDeps = ({ search }: { search: AnalyticsSearch }) => search

export const analyticsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics',
    validateSearch,
    loaderDeps,
    loader: askForOverview,
    component: lazyRouteComponent(() => import('./analytics-page.tsx'), 'AnalyticsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics/page',
    validateSearch,
    loaderDeps,
    loader: askForOnePage,
    component: lazyRouteComponent(() => import('./one-page-page.tsx'), 'OnePagePage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics/readers',
    validateSearch,
    loaderDeps,
    loader: askForReaders,
    component: lazyRouteComponent(() => import('./readers-page.tsx'), 'ReadersPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/analytics/sources',
    validateSearch,
    component: lazyRouteComponent(() => import('./sources-page.tsx'), 'SourcesPage'),
  }),
] as const
