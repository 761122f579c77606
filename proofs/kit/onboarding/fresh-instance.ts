/** Colophon right after its first start: services, an empty database, `api` and `worker`, no projects or accounts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareColophonProcess } from '../../../dev-services/colophon-process.ts'
import { shortTimers } from '../../../dev-services/test-worker.ts'
import type { ProofRun } from '../../proof.ts'
import { toLocalhostOrigin } from '../people.ts'
import { createProofInstance, type ProofInstance } from '../proof-instance.ts'

export interface FreshInstance extends Pick<ProofInstance, 'gitea' | 'github' | 'modelUrl' | 'directory'> {
  /** The origin for browsers. */
  origin: string
  /** The one-time link for the first owner, from the log of `api`. */
  ownerLink(): Promise<string>
}

export async function startFreshInstance(run: ProofRun, purpose: string): Promise<FreshInstance> {
  const { environment, directory, gitea, github, modelUrl } = await createProofInstance(run, purpose)
  const start = async (name: 'api' | 'worker', settings: Record<string, string>) => {
    const started = await prepareColophonProcess(name, { environment: { ...environment, ...settings }, directory })
    run.cleanUp(() => started.process.stop())
    await started.process.start()
    return started
  }
  const worker = await start('worker', shortTimers)
  const api = await start('api', { COLOPHON_GATEWAY_URL: worker.url, COLOPHON_GITHUB_URLS: github.url })
  return {
    origin: toLocalhostOrigin(api.url),
    gitea,
    github,
    modelUrl,
    directory,
    async ownerLink() {
      for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(100)) {
        const link = /"url":"([^"]*\/welcome#[^"]*)"/.exec(readFileSync(join(directory, 'api.log'), 'utf8'))?.[1]
        if (link !== undefined) return link
      }
      throw new Error('the log of api has no link for the first owner after 15 s')
    },
  }
}
