import { setTimeout as sleep } from 'node:timers/promises'
import type { PersonStore } from '../../people/person-store.ts'
import type { Log } from '../../platform/log.ts'

const retryDelayMs = 5_000

/**
 * While the instance has no operator, logs a one-time link that creates the first owner, once per start. Retries, because
 * PostgreSQL may start later than this process.
 */
export function logFirstOwnerLink(people: PersonStore, publicUrl: string, log: Log): { stop(): void } {
  const stopped = new AbortController()
  const announce = async () => {
    for (let attempts = 0; !stopped.signal.aborted; attempts++) {
      try {
        if (await people.hasOperator()) return
        const url = formatFirstOwnerUrl(publicUrl, await people.createFirstOwnerToken())
        return log.info(
          { url },
          'no operator yet: open this link to create the first owner (works once, within 24 hours)',
        )
      } catch (error) {
        if (attempts === 0)
          log.warn({ error: String(error) }, 'cannot create the link for the first owner yet: retrying')
        await sleep(retryDelayMs, undefined, { signal: stopped.signal }).catch(() => {})
      }
    }
  }
  void announce()
  return { stop: () => stopped.abort() }
}

export const formatFirstOwnerUrl = (publicUrl: string, token: string): string => `${publicUrl}/welcome#${token}`
