import type { Pool } from 'pg'
import { SessionManager } from '../people/session-manager.ts'
import type { PeopleTables } from '../people/tables.ts'
import type { ApiConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { createKyselyDatabase } from '../platform/postgres.ts'
import type { Stores } from './open-stores.ts'

export function createSessionManager(
  { people, publicUrl }: ApiConfig,
  pool: Pool,
  { invitations }: Stores,
  log: Log,
): SessionManager {
  return new SessionManager(
    {
      db: createKyselyDatabase<PeopleTables>(pool),
      publicUrl,
      sessionSecret: people.sessionSecret,
      isInvited: (email) => invitations.isInvited(email),
      onNewPerson: (person) => invitations.acceptAll(person),
      log,
    },
    people.oidc,
  )
}
