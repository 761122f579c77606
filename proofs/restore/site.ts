/** The machines of one site: PostgreSQL, ClickHouse and the processes of Colophon. Runners and the code host are elsewhere. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ColophonProcess, prepareColophonProcess } from '../../testing/harness/colophon-process.ts'
import { startOwnPostgres } from '../../testing/harness/own-postgres.ts'
import { getClickhouseBinary, startClickhouse } from '../../testing/services/start-clickhouse.ts'
import type { ServiceAddresses } from '../../testing/services/start-services.ts'
import type { ProofRun } from '../proof.ts'

export interface Site {
  addresses: ServiceAddresses
  /** Starts api and worker. They have the same addresses on every site, as behind the same names. */
  startColophon(environment: Record<string, string>): Promise<void>
  /** Nothing is left: the processes are killed, and the disks are gone. */
  destroy(): Promise<void>
}

export interface Ports {
  api: string
  worker: string
}

export async function startSite(
  run: ProofRun,
  { ports, shared, temporalAddress }: { ports: Ports; shared: ServiceAddresses; temporalAddress: string },
): Promise<Site> {
  const directory = mkdtempSync(join(tmpdir(), 'colophon-site-'))
  const postgres = await startOwnPostgres(run)
  const clickhouse = await startClickhouse(await getClickhouseBinary(), join(directory, 'services/clickhouse'))
  const processes: ColophonProcess['process'][] = [clickhouse.process, postgres.process]
  const destroy = async () => {
    for (const each of processes.toReversed()) await each.kill()
    for (const path of [directory, postgres.directory]) rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  }
  run.cleanUp(destroy)
  return {
    addresses: { ...shared, postgresUrl: postgres.url, clickhouseUrl: clickhouse.url, temporalAddress },
    async startColophon(environment) {
      for (const kind of ['api', 'worker'] as const) {
        const listen = { [kind === 'api' ? 'COLOPHON_LISTEN' : 'COLOPHON_GATEWAY_LISTEN']: ports[kind] }
        const prepared = await prepareColophonProcess(kind, { environment: { ...environment, ...listen }, directory })
        processes.push(prepared.process)
        await prepared.process.start()
      }
    },
    destroy,
  }
}
