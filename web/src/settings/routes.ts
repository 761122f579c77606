import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../app/roots.tsx'

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/repository',
    component: lazyRouteComponent(() => import('./repository-settings-page.tsx'), 'RepositorySettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/agent',
    component: lazyRouteComponent(() => import('./agent-settings-page.tsx'), 'AgentSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/models',
    component: lazyRouteComponent(() => import('./models-settings-page.tsx'), 'ModelsSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/views',
    component: lazyRouteComponent(() => import('./views-settings-page.tsx'), 'ViewsSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/members',
    component: lazyRouteComponent(() => import('./members-settings-page.tsx'), 'MembersSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/runners',
    component: lazyRouteComponent(() => import('./runners-settings-page.tsx'), 'RunnersSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/ci',
    component: lazyRouteComponent(() => import('../federation/ci-page.tsx'), 'CiPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/webhooks',
    component: lazyRouteComponent(() => import('../webhooks/webhooks-page.tsx'), 'WebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/webhooks/$endpointId',
    component: lazyRouteComponent(() => import('../webhooks/endpoint-page.tsx'), 'EndpointPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/audit',
    component: lazyRouteComponent(() => import('./audit-settings-page.tsx'), 'AuditSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/settings/health',
    component: lazyRouteComponent(() => import('./health-settings-page.tsx'), 'HealthSettingsPage'),
  }),
] as const
