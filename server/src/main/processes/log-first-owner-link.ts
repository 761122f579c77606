import type { PersonStore } from '../../people/person-store.ts'
import type { Log } from '../../platform/log.ts'
import { startOnce } from './start-once.ts'

/** While the instance has no operator, logs a one-time link that creates the first owner. */
export const logFirstOwnerLink = (people: PersonStore, publicUrl: string, log: Log): { stop(): void } =>
  startOnce(
    async () => {
      if (await people.hasOperator()) return
      const url = formatFirstOwnerUrl(publicUrl, await people.createFirstOwnerToken())
      log.info({ url }, 'no operator yet: open this link to create the first owner (works once, within 24 hours)')
    },
    'cannot create the link for the first owner yet: retrying',
    log,
  )

export const formatFirstOwnerUrl = (publicUrl: string, token: string): string => `${publicUrl}/welcome#${token}`
