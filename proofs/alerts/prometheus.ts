/** A Prometheus server that scrapes the processes of a proof and evaluates its alert rules. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../../testing/services/free-port.ts'
import { ManagedProcess } from '../../testing/services/managed-process.ts'
import { getPrometheusBinary } from '../../testing/services/prometheus-binaries.ts'

export interface Prometheus {
  /** The names of the alerts that fire now. */
  firing(): Promise<ReadonlySet<string>>
  query(expression: string): Promise<{ labels: Record<string, string>; value: number }[]>
  /** Returns a function that removes it. */
  addTarget(name: string, target: string): () => void
  process: ManagedProcess
}

/** `targets`: addresses of metrics, by the name of the process. */
export async function preparePrometheus(
  directory: string,
  {
    rules,
    targets,
    intervalSeconds,
  }: { rules: string; targets: Readonly<Record<string, string>>; intervalSeconds: number },
): Promise<Prometheus> {
  const folder = join(directory, 'prometheus')
  mkdirSync(folder)
  const interval = `${intervalSeconds}s`
  writeFileSync(join(folder, 'alerts.yml'), rules)
  const writeConfiguration = (scraped: Readonly<Record<string, string>>) =>
    writeFileSync(
      join(folder, 'prometheus.yml'),
      stringify({
        global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
        rule_files: ['alerts.yml'],
        scrape_configs: [
          {
            job_name: 'colophon',
            static_configs: Object.entries(scraped).map(([process, target]) => ({
              targets: [target],
              labels: { process },
            })),
          },
        ],
      }),
    )
  writeConfiguration(targets)
  const listen = `127.0.0.1:${await freePort()}`
  const server = new ManagedProcess({
    name: 'prometheus',
    command: [
      await getPrometheusBinary(),
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${listen}`,
    ],
    logFile: join(directory, 'prometheus.log'),
    isReady: async () => (await fetch(`http://${listen}/-/ready`)).ok,
    readyWithinSeconds: 60,
  })
  const reload = (scraped: Readonly<Record<string, string>>) => {
    writeConfiguration(scraped)
    if (server.pid) process.kill(server.pid, 'SIGHUP')
  }
  const get = async <Data>(path: string): Promise<Data> => {
    const response = await fetch(`http://${listen}/api/v1/${path}`, { signal: AbortSignal.timeout(30_000) })
    const { status, data, error } = (await response.json()) as { status: string; data: Data; error?: string }
    if (status !== 'success') throw new Error(`Prometheus: ${error}`)
    return data
  }
  return {
    process: server,
    addTarget(name, target) {
      reload({ ...targets, [name]: target })
      return () => reload(targets)
    },
    async firing() {
      const { alerts } = await get<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts')
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
    },
    async query(expression) {
      const { result } = await get<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      )
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }))
    },
  }
}
