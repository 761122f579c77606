/** The dependencies of authorization, for tests that register single routes. */
import type { AuthorizeDeps } from '../../server/src/api/authorize.ts'
import { DenialAudit } from '../../server/src/api/denial-audit.ts'
import type { Stores } from '../../server/src/main/processes/open-stores.ts'
import { SessionManager } from '../../server/src/people/session-manager.ts'
import { createLog } from '../../server/src/platform/log.ts'
import type { TestInstance } from './test-instance.ts'

export function testAuthorizeDeps({
  stores,
  database,
}: Pick<TestInstance, 'database'> & { stores: Stores }): AuthorizeDeps {
  const publicOrigin = 'http://localhost'
  const sessions = new SessionManager(
    {
      db: database,
      publicUrl: publicOrigin,
      sessionSecret: 'a secret for tests that is long enough',
      maxIdleHours: 24,
      applyGroups: async () => {},
      isInvited: async () => false,
      isDisabled: async () => false,
      onNewPerson: async () => {},
      onProviderLinked: async () => {},
      log: createLog('test', { level: 'error' }),
    },
    undefined,
  )
  const denials = new DenialAudit(stores.audit, createLog('test', { level: 'error' }))
  return { keys: stores.keys, people: stores.people, sessions, publicOrigin, denials, requiresSecondFactor: false }
}
