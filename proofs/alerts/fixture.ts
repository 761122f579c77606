/** One `api`, `worker` and runner with metrics, relays between them and the services, and a Prometheus server that scrapes them. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createClient } from '../../sdk/src/index.ts'
import { loadSealingPrivateKeys } from '../../server/src/platform/config.ts'
import { selfSignedCertificate } from '../../server/src/platform/egress/testing/certificate.ts'
import { createSealer } from '../../server/src/platform/sealed-secrets/sealed-secret.ts'
import { type Colophon, type ProjectWithClient, prepareColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { type Relay, startRelay } from '../../testing/harness/relay/relay.ts'
import { addScriptedModel } from '../../testing/harness/scripted-model.ts'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import { findOrStartServices } from '../../testing/services/running-services.ts'
import type { ProofRun } from '../proof.ts'
import { type Prometheus, preparePrometheus } from './prometheus.ts'

export interface AlertsFixture {
  colophon: Colophon
  api: ColophonProcess
  worker: ColophonProcess
  runner: ColophonProcess
  /** Between `api` and `worker` and their services, and between `worker` and Gitea. */
  relays: { postgres: Relay; clickhouse: Relay; temporal: Relay; codeHost: Relay }
  /** Of the healthy load. It has an endpoint. */
  project: ProjectWithClient
  /** Of jobs that end badly. */
  faultyProject: ProjectWithClient
  prometheus: Prometheus
  /** Starts an `api` whose certificate expires tomorrow. */
  startExpiringApi(): Promise<{ stop(): Promise<void> }>
}

const runnerTurns = 5
const bufferMegabytes = '4'

export async function startFixture(
  run: ProofRun,
  { rules, intervalSeconds }: { rules: string; intervalSeconds: number },
): Promise<AlertsFixture> {
  const { addresses, release } = await findOrStartServices()
  run.cleanUp(release)
  const codeHost = await startRelay(addresses.gitea.url)
  run.cleanUp(codeHost.stop)
  const gitea = { ...addresses.gitea, url: codeHost.url }
  const receiverPort = await startReceiver(run)
  const colophon = await prepareColophon(run, 'alerts', {
    addresses: { ...addresses, gitea },
    model: 'none',
    settings: { COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '60' },
    ...(run.args.includes('keep-logs') && { keepLogs: (directory) => run.log(`logs: ${directory}`) }),
  })
  await addScriptedModel(colophon, { name: 'scripted', format: 'anthropic-messages', script: 'write', isDefault: true })
  const relay = async (url: string) => {
    const started = await startRelay(url)
    run.cleanUp(started.stop)
    return started
  }
  const postgres = await relay(colophon.postgresUrl)
  const clickhouse = await relay(colophon.clickhouseUrl)
  const temporal = await relay(`tcp://${addresses.temporalAddress}`)
  const relays = { postgres, clickhouse, temporal, codeHost }
  const services = {
    COLOPHON_DATABASE_URL: postgres.url,
    COLOPHON_CLICKHOUSE_URL: clickhouse.url,
    COLOPHON_TEMPORAL_ADDRESS: new URL(temporal.url).host,
  }
  const targets: Record<string, string> = {}
  const metricsOf = async (name: string) => {
    targets[name] = `127.0.0.1:${await freePort()}`
    return { COLOPHON_METRICS_LISTEN: targets[name] }
  }
  const apiSettings = {
    ...services,
    COLOPHON_VIEWS_BUFFER_MAX_MEGABYTES: bufferMegabytes,
    COLOPHON_TRUSTED_PROXIES: '127.0.0.1/32', // so that requests can come from many networks
  }
  const api = await colophon.start('api', { ...apiSettings, ...(await metricsOf('api')) })
  const worker = await colophon.start('worker', {
    ...services,
    ...(await metricsOf('worker')),
    COLOPHON_EGRESS_ALLOWED_WEBHOOK_HOSTS: `127.0.0.1:${receiverPort}`,
    COLOPHON_INSTANCE_BUDGET_MAX_TOKENS_PER_HOUR: '1000000000',
    COLOPHON_JOB_DEADLINE_SECONDS: '600',
    COLOPHON_JOB_QUEUE_TIMEOUT_SECONDS: '3600',
  })
  const runner = await colophon.start('runner', {
    ...(await metricsOf('runner')),
    COLOPHON_GATEWAY_URL: worker.url,
    COLOPHON_RUNNER_CGROUPS: 'optional',
    COLOPHON_RUNNER_MAX_CONCURRENT_TURNS: String(runnerTurns),
    COLOPHON_RUNNER_TOKEN: await colophon.createRunnerToken(),
  })
  const connectProject = async (name: string): Promise<ProjectWithClient> => {
    const connected = await colophon.connectProject(name)
    return { ...connected, client: createClient({ baseUrl: api.url, apiKey: connected.key, retry: false }) }
  }
  const project = await connectProject('Handbook')
  const faultyProject = await connectProject('Faults')
  await colophon.stores.endpoints.create(
    project.projectId,
    {
      kind: 'webhook',
      name: 'receiver',
      target: `http://127.0.0.1:${receiverPort}/`,
      events: ['job.completed', 'job.archived', 'job.failed'],
      maxPerSecond: 50,
      secret: 'whsec_AA==',
    },
    createSealer(loadSealingPrivateKeys(colophon.environment)),
    { kind: 'operator' },
  )
  const prometheus = await preparePrometheus(colophon.directory, { rules, targets, intervalSeconds })
  run.cleanUp(() => prometheus.process.stop())
  await prometheus.process.start()

  const startExpiringApi = async () => {
    const { cert, key } = await selfSignedCertificate(['localhost'])
    const certificateFile = join(colophon.directory, 'certificate.pem')
    const keyFile = join(colophon.directory, 'key.pem')
    writeFileSync(certificateFile, cert)
    writeFileSync(keyFile, key, { mode: 0o600 })
    const listen = `127.0.0.1:${await freePort()}`
    const metrics = `127.0.0.1:${await freePort()}`
    const expiring = new ManagedProcess({
      name: 'api with a certificate',
      command: [process.execPath, join(import.meta.dirname, '../../server/src/main/colophon-server.ts'), 'api'],
      env: {
        PATH: process.env.PATH,
        ...colophon.environment,
        ...apiSettings,
        COLOPHON_LISTEN: listen,
        COLOPHON_TLS_CERT_FILE: certificateFile,
        COLOPHON_TLS_KEY_FILE: keyFile,
        COLOPHON_METRICS_LISTEN: metrics,
      },
      logFile: join(colophon.directory, 'expiring.log'),
      isReady: async () => (await fetch(`http://${metrics}/metrics`)).ok,
      readyWithinSeconds: 90,
    })
    run.cleanUp(() => expiring.stop())
    await expiring.start()
    const removeTarget = prometheus.addTarget('expiring', metrics)
    return {
      async stop() {
        removeTarget()
        await expiring.stop()
      },
    }
  }
  return { colophon, api, worker, runner, relays, project, faultyProject, prometheus, startExpiringApi }
}

/** Accepts every event. */
async function startReceiver(run: ProofRun): Promise<number> {
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  run.cleanUp(async () => {
    receiver.closeAllConnections()
    receiver.close()
  })
  return (receiver.address() as AddressInfo).port
}
