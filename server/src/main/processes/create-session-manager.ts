import type { Database } from '../../database/database.ts'
import { SessionManager } from '../../people/session-manager.ts'
import type { ApiConfig } from '../../platform/config.ts'
import type { Log } from '../../platform/log.ts'
import type { Stores } from './open-stores.ts'

export function createSessionManager(
  { people, publicUrl }: ApiConfig,
  database: Database,
  { accounts, audit, groupRoles, invitations, people: persons }: Stores,
  log: Log,
): SessionManager {
  return new SessionManager(
    {
      db: database,
      publicUrl,
      sessionSecret: people.sessionSecret,
      maxIdleHours: people.sessionIdleHours,
      applyGroups: (personId, groups) => groupRoles.apply(people.oidc?.groupRoles ?? [], personId, groups),
      isInvited: (email) => invitations.isInvited(email),
      isDisabled: (personId) => persons.isDisabled(personId),
      onNewPerson: (person) => invitations.acceptAll(person),
      async onProviderLinked(personId) {
        const { email } = await accounts.get(personId)
        const entry = { action: 'provider.linked', subject: personId, detail: {} } as const
        await audit.recordInstanceEvent({ kind: 'person', email }, entry)
      },
      log,
    },
    people.oidc,
  )
}
