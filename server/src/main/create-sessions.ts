import type { Pool } from 'pg'
import { Sessions } from '../people/sessions.ts'
import type { PeopleTables } from '../people/tables.ts'
import type { ApiConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { createDatabase } from '../platform/postgres.ts'
import type { Stores } from './open-stores.ts'

export function createSessions(
  { people, publicUrl }: ApiConfig,
  pool: Pool,
  { invitations }: Stores,
  log: Log,
): Sessions {
  return new Sessions(
    {
      db: createDatabase<PeopleTables>(pool),
      publicUrl,
      sessionSecret: people.sessionSecret,
      isInvited: (email) => invitations.isInvited(email),
      onNewPerson: (person) => invitations.acceptAll(person),
      log,
    },
    people.oidc,
  )
}
