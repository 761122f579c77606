import { setTimeout as sleep } from 'node:timers/promises'
import type { PersonStore } from '../people/person-store.ts'
import type { Log } from '../platform/log.ts'

const againMs = 5_000

/** As long as nobody runs the installation: a link for who will, in the log, once per start. PostgreSQL may come later than we. */
export function announceFirstOwner(people: PersonStore, publicUrl: string, log: Log): { stop(): void } {
  const stopped = new AbortController()
  const announce = async () => {
    for (let tries = 0; !stopped.signal.aborted; tries++) {
      try {
        if (await people.hasOperator()) return
        const url = ownerLink(publicUrl, await people.newOwnerToken())
        return log.info(
          { url },
          'nobody runs this installation yet: this link makes the first owner, once, within 24 hours',
        )
      } catch (error) {
        if (tries === 0) log.warn({ error: String(error) }, 'the link for the first owner cannot be made yet')
        await sleep(againMs, undefined, { signal: stopped.signal }).catch(() => {})
      }
    }
  }
  void announce()
  return { stop: () => stopped.abort() }
}

export const ownerLink = (publicUrl: string, token: string): string => `${publicUrl}/welcome#${token}`
