/** Colophon right after its first start: services, an empty database, `api` and `worker`, no projects or accounts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Colophon, prepareColophon } from '../../testing/harness/colophon.ts'
import { toLocalhostOrigin } from '../../testing/harness/people.ts'
import type { ProofRun } from '../proof.ts'

export interface FreshInstance extends Pick<Colophon, 'addresses' | 'directory'> {
  /** The origin for browsers. */
  origin: string
  /** The one-time link for the first owner, from the log of `api`. */
  ownerLink(): Promise<string>
}

export async function startFreshInstance(run: ProofRun, purpose: string): Promise<FreshInstance> {
  const colophon = await prepareColophon(run, purpose, { model: 'none' })
  const { addresses, directory } = colophon
  const worker = await colophon.start('worker')
  const api = await colophon.start('api', {
    COLOPHON_GATEWAY_URL: worker.url,
    COLOPHON_GITHUB_URLS: addresses.github.url,
  })
  return {
    origin: toLocalhostOrigin(api.url),
    addresses,
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
