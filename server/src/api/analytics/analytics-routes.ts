import type { ClientDetector } from '../../analytics/classify/client-detector.ts'
import type { BeaconLimiter } from '../../analytics/collect/beacon-limiter.ts'
import type { SourceActivityRecorder } from '../../analytics/collect/source-activity-recorder.ts'
import type { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import type { AnalyticsSettingsStore } from '../../analytics/settings/analytics-settings-store.ts'
import type { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import type { Route } from '../route.ts'
import { analyticsSettingsRoutes } from './analytics-settings-routes.ts'
import { classifyClientRoute } from './classify-client.ts'
import { collectViewRoute } from './collect-view.ts'
import { ingestViewsRoute } from './ingest-views.ts'
import { type LogDrainRouteDeps, logDrainRoutes } from './log-drain-routes.ts'
import { siteKeyRoutes } from './site-key-routes.ts'
import { viewReportRoutes } from './view-report-routes.ts'
import { viewSourceRoutes } from './view-source-routes.ts'

export interface AnalyticsRouteDeps extends LogDrainRouteDeps {
  viewBuffer: PostgresViewBuffer
  sourceActivity: SourceActivityRecorder
  beaconLimiter: BeaconLimiter
  siteCache: AnalyticsSiteCache
  viewReports: ViewReportReader
  clientDetector: ClientDetector
  analyticsSettings: AnalyticsSettingsStore
}

export const analyticsRoutes = (deps: AnalyticsRouteDeps): Route[] => [
  ingestViewsRoute(deps),
  collectViewRoute(deps),
  ...viewReportRoutes(deps),
  ...viewSourceRoutes(deps),
  classifyClientRoute(deps),
  ...analyticsSettingsRoutes(deps),
  ...siteKeyRoutes(deps),
  ...logDrainRoutes(deps),
]
