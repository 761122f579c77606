import { Client } from '@temporalio/client'
import { loadClientDetector } from '../analytics/classify/client-detector.ts'
import { SourceNotes } from '../analytics/collect/source-notes.ts'
import { ViewBuffer } from '../analytics/collect/view-buffer.ts'
import { SeenClients } from '../analytics/query/seen-clients.ts'
import { ViewReports } from '../analytics/query/view-reports.ts'
import { KnownSites } from '../analytics/settings/known-sites.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import { createApi } from '../api/app.ts'
import type { ReadHook } from '../api/hooks/receive-hook.ts'
import { createFollowJobs } from '../api/jobs/follow-jobs.ts'
import { webhookReaders } from '../code-hosts/open-code-host.ts'
import { createJobSignals } from '../jobs/wake-job.ts'
import type { ApiConfig } from '../platform/config.ts'
import { Readiness } from '../platform/http/readiness.ts'
import { createLog } from '../platform/log.ts'
import { createMailer } from '../platform/mail.ts'
import { createDatabase } from '../platform/postgres.ts'
import { checkClickhouse, checkPostgres, checkTemporal } from '../platform/service-checks.ts'
import { announceFirstOwner } from './announce-first-owner.ts'
import { connectServices } from './connect-services.ts'
import { mailInvitations } from './mail-invitations.ts'
import { openSessions } from './open-sessions.ts'
import { openStores } from './open-stores.ts'
import { type Running, serveHttp } from './running-process.ts'
import { createSettingsDeps } from './settings-deps.ts'

export async function startApi(config: ApiConfig): Promise<Running> {
  const log = createLog('api', config.log)
  const services = connectServices(config.services, log)
  const readiness = new Readiness(
    {
      postgres: { essential: true, check: checkPostgres(services.pool) },
      // Without these two, jobs and views are still taken in and wait: a load balancer must not turn clients away.
      temporal: { essential: false, check: checkTemporal(services.temporal, config.services.temporal.namespace) },
      clickhouse: { essential: false, check: checkClickhouse(services.clickhouse) },
    },
    log,
  )
  const temporal = new Client({ connection: services.temporal, namespace: config.services.temporal.namespace })
  const signals = createJobSignals(temporal, services.temporal, log)
  const readHook: ReadHook = (host, delivery, secret) => webhookReaders[host](delivery, secret)
  const stores = openStores(services.pool)
  const following = createFollowJobs(stores.events, log)
  const database = createDatabase<AnalyticsTables>(services.pool)
  const viewBuffer = new ViewBuffer(database, config.views)
  const sourceNotes = new SourceNotes(database, log)
  const knownSites = new KnownSites(stores.analyticsSettings)
  const views = {
    viewBuffer,
    sourceNotes,
    knownSites,
    viewReports: new ViewReports(services.clickhouse, database, knownSites),
    clientDetector: loadClientDetector(),
    seenClients: new SeenClients(services.clickhouse, database),
  }
  const mailer = config.people.mail && createMailer(config.people.mail)
  const people = {
    sessions: openSessions(config, services.pool, stores, log),
    canSendEmail: mailer !== undefined,
    publicUrl: config.publicUrl,
    mailInvitation: mailInvitations(mailer, log),
  }
  const settings = createSettingsDeps({ config, services, stores, temporal, log })
  const jobs = { ...signals, followJobs: following.followJobs }
  const parts = { ...views, ...people, readiness, ...stores, ...jobs, ...settings, readHook }
  const { server } = createApi(parts, config.http, log)
  server.addHook('preClose', async () => following.stop()) // else the server would wait for streams that do not end
  const announcing = announceFirstOwner(stores.people, config.publicUrl, log)
  const release = async () => {
    announcing.stop()
    mailer?.close()
    await viewBuffer.settle() // a sender that is gone has been told nothing, but its views may as well be kept
    await sourceNotes.settle()
    await services.close()
  }
  return serveHttp(server, { config: config.http, readiness, release })
}
