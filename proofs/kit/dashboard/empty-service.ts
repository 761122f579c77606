/** Colophon as somebody has it who has just started it: engines, an empty database, `api` and `worker`. Nothing is prepared. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareProcess } from '../../../dev-services/colophon.ts'
import { shortTimers } from '../../../dev-services/running-jobs.ts'
import type { ProofRun } from '../../proof.ts'
import { type MigratedCorner, migratedCorner } from '../migrated-corner.ts'
import { originOf } from '../people.ts'

export interface EmptyService extends Pick<MigratedCorner, 'gitea' | 'github' | 'modelUrl' | 'directory'> {
  /** Where a browser finds it. */
  origin: string
  /** The link for the first owner, as `api` wrote it into its log. */
  ownerLink(): Promise<string>
}

export async function emptyService(run: ProofRun, purpose: string): Promise<EmptyService> {
  const { environment, directory, gitea, github, modelUrl } = await migratedCorner(run, purpose)
  const start = async (name: 'api' | 'worker', settings: Record<string, string>) => {
    const started = await prepareProcess(name, { environment: { ...environment, ...settings }, directory })
    run.cleanUp(() => started.part.stop())
    await started.part.start()
    return started
  }
  const worker = await start('worker', shortTimers)
  const api = await start('api', { COLOPHON_GATEWAY_URL: worker.url, COLOPHON_GITHUB_URLS: github.url })
  return {
    origin: originOf(api.url),
    gitea,
    github,
    modelUrl,
    directory,
    async ownerLink() {
      for (const until = Date.now() + 15_000; Date.now() < until; await sleep(100)) {
        const link = /"url":"([^"]*\/welcome#[^"]*)"/.exec(readFileSync(join(directory, 'api.log'), 'utf8'))?.[1]
        if (link !== undefined) return link
      }
      throw new Error('api wrote no link for the first owner into its log')
    },
  }
}
