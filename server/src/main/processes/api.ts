import { loadClientDetector } from '../../analytics/classify/client-detector.ts'
import { BeaconLimiter } from '../../analytics/collect/beacon-limiter.ts'
import { DailyQuota } from '../../analytics/collect/daily-quota.ts'
import { SourceActivityRecorder } from '../../analytics/collect/source-activity-recorder.ts'
import { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'
import { LogDrainActivity } from '../../analytics/log-drains/log-drain-activity.ts'
import { ObservedTrafficFinder } from '../../analytics/query/observed-traffic-finder.ts'
import { ViewReportReader } from '../../analytics/query/view-report-reader.ts'
import { AnalyticsSiteCache } from '../../analytics/settings/analytics-site-cache.ts'
import { createApi } from '../../api/app.ts'
import { DenialAudit } from '../../api/denial-audit.ts'
import { createJobEventStreams } from '../../api/jobs/job-event-streams.ts'
import { SignInAudit } from '../../api/people/sign-in-audit.ts'
import type { ReadWebhook } from '../../api/webhooks/receive-webhook.ts'
import { webhookParsers } from '../../code-hosts/code-host-factory.ts'
import { finishedVersion } from '../../database/older-version.ts'
import { createJobSignaler } from '../../jobs/job-signaler.ts'
import { IssuerKeys } from '../../keys/federation/issuer-keys.ts'
import { TokenExchanger } from '../../keys/federation/token-exchanger.ts'
import { PasskeyStore } from '../../people/passkey-store.ts'
import { SignInGuard } from '../../people/sign-in-guard.ts'
import { toRelyingParty } from '../../people/webauthn.ts'
import type { ApiConfig } from '../../platform/config.ts'
import { createEgressFor } from '../../platform/egress/create-egress-for.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { Readiness } from '../../platform/http/readiness.ts'
import { createLog } from '../../platform/log.ts'
import { createMailer } from '../../platform/mailer.ts'
import { createClickhouseCheck, createPostgresCheck, createTemporalCheck } from '../../platform/service-checks.ts'
import { createTemporalClient } from '../../platform/temporal.ts'
import { startBudgetNotices } from './budget-notices.ts'
import { createServiceClients } from './create-service-clients.ts'
import { createSessionManager } from './create-session-manager.ts'
import { createInstanceStatusReader } from './instance-status-reader.ts'
import { logFirstOwnerLink } from './log-first-owner-link.ts'
import { createFailedSignInsNotifier } from './notify-of-failed-sign-ins.ts'
import { openStores } from './open-stores.ts'
import { type RunningProcess, serveHttp } from './running-process.ts'
import { createInvitationEmailSender } from './send-invitation-email.ts'
import { createSettingsDeps } from './settings-deps.ts'
import { warnOfWritableAuditLog } from './warn-of-writable-audit-log.ts'
import { startReleaseWatcher } from './watch-releases.ts'

export async function startApi(config: ApiConfig): Promise<RunningProcess> {
  const log = createLog('api', config.log)
  const services = createServiceClients(config.services, log, 'api')
  const readiness = new Readiness(
    {
      postgres: { essential: true, check: createPostgresCheck(services.pool, finishedVersion) },
      // Without these two, jobs and views are still accepted and queued, so a load balancer must not turn clients away.
      temporal: { essential: false, check: createTemporalCheck(services.temporal, config.services.temporal.namespace) },
      clickhouse: { essential: false, check: createClickhouseCheck(services.clickhouse) },
    },
    log,
  )
  const temporal = createTemporalClient(services.temporal, config.services.temporal)
  const signals = createJobSignaler(temporal, services.temporal, log)
  const readWebhook: ReadWebhook = (host, delivery, secret) => webhookParsers[host](delivery, secret)
  const stores = openStores(services.database)
  const jobStreams = createJobEventStreams(stores.events, log)
  const { database } = services
  const viewBuffer = new PostgresViewBuffer(services, config.views)
  const sourceActivity = new SourceActivityRecorder(database, log)
  const logDrainActivity = new LogDrainActivity(database, log)
  const siteCache = new AnalyticsSiteCache(stores.analyticsSettings)
  const views = {
    viewBuffer,
    sourceActivity,
    beaconLimiter: new BeaconLimiter(database, config.views.beacons),
    logDrainActivity,
    logDrainQuota: new DailyQuota(config.views.maxLoggedPerDayPerProject, (projectId) =>
      stores.logDrains.readCountedToday(projectId),
    ),
    siteCache,
    viewReports: new ViewReportReader(services.clickhouse, database, siteCache),
    clientDetector: loadClientDetector(),
    observedTraffic: new ObservedTrafficFinder(services.clickhouse, database),
  }
  const mailer = config.people.email && createMailer(config.people.email)
  const sessions = createSessionManager(config, database, stores, log)
  const people = {
    sessions,
    passkeys: new PasskeyStore(database, toRelyingParty(config.publicUrl), () => sessions.prepareSecondFactor()),
    signInGuard: new SignInGuard(database, createFailedSignInsNotifier(mailer, config.publicUrl, log)),
    requiresSecondFactor: config.people.requiresSecondFactor,
    canSendEmail: mailer !== undefined,
    signInAudit: new SignInAudit(stores.audit, log),
    publicUrl: config.publicUrl,
    sendInvitationEmail: createInvitationEmailSender(mailer, log),
  }
  const settings = createSettingsDeps({ config, services, stores, temporal, log })
  const jobs = { ...signals, streamJobEvents: jobStreams.streamJobEvents }
  const issuerEgress = createEgressFor('issuers', config.egress, log)
  const federation = {
    tokenExchanger: new TokenExchanger(stores.federatedIdentities, new IssuerKeys(issuerEgress), config.publicUrl),
    denials: new DenialAudit(stores.audit, log),
  }
  const { requiresHttpsOfSubdomains } = config
  const deps = {
    ...views,
    ...people,
    readiness,
    ...stores,
    ...jobs,
    ...settings,
    ...federation,
    readWebhook,
    requiresHttpsOfSubdomains,
    readInstanceStatus: createInstanceStatusReader({
      services,
      schedules: temporal.schedule,
      readiness,
      maxBufferBytes: config.views.maxBufferBytes,
      log,
    }),
  }
  const { server } = createApi(deps, config.http, log)
  server.addHook('preClose', async () => jobStreams.stop()) // otherwise the server would wait for streams that never end
  const budgetNotices = startBudgetNotices({
    ...stores,
    notices: stores.budgetNotices,
    ceilings: config.budget,
    mailer,
    publicUrl: config.publicUrl,
    log,
  })
  const releaseEgress = createEgress(config.egress)
  const releaseWatcher =
    config.releasesUrl === undefined
      ? undefined
      : startReleaseWatcher({
          feedUrl: config.releasesUrl,
          egress: releaseEgress,
          onNewer: (newerVersion) => {
            readiness.newerVersion = newerVersion
          },
          log,
        })
  const announcements = [
    logFirstOwnerLink(stores.people, config.publicUrl, log),
    warnOfWritableAuditLog(services.pool, log),
  ]
  const release = async () => {
    for (const announcement of announcements) announcement.stop()
    await budgetNotices.stop()
    await releaseWatcher?.stop()
    await releaseEgress.close()
    mailer?.close()
    await issuerEgress.close()
    await viewBuffer.flush() // a sender that disconnected got no response, but its views are worth keeping
    await sourceActivity.flush()
    await logDrainActivity.flush()
    await services.close()
  }
  return serveHttp(server, { config: config.http, readiness, release })
}
