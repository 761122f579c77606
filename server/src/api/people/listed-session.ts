import Type, { type Static } from 'typebox'
import { describeDevice } from '../../people/device.ts'
import type { LiveSession } from '../../people/session.ts'
import type { SessionManager } from '../../people/session-manager.ts'
import { DateTime, IdParam, nullable } from '../schemas.ts'

const exampleSessionId = 'ses_01m7ej3x5ye8w9s6n0q4t2v7kd'

export const SessionParams = Type.Object({ sessionId: IdParam('ID of the session.', exampleSessionId) })

export const SessionList = Type.Object({
  sessions: Type.Array(
    Type.Object(
      {
        id: Type.String({ description: 'ID of the session.', examples: [exampleSessionId] }),
        device: Type.String({
          description: 'Browser and system that the session was started with, as the browser reported them.',
          examples: ['Firefox on Linux'],
        }),
        network: nullable(
          Type.String({
            description:
              'Network from which the session was started, without the last part of the address. Null if it is not known.',
            examples: ['203.0.113.0/24'],
          }),
        ),
        createdAt: DateTime('Time of the sign-in.'),
        lastUsedAt: DateTime('Time of the last request, up to a minute late.'),
        expiresAt: DateTime('Time at which the session ends even if it is used.'),
        isCurrent: Type.Boolean({ description: 'Whether this request was sent with the session.' }),
      },
      { $id: 'ListedSession', description: 'A session of the signed-in person.' },
    ),
    { description: 'Sessions that have not ended, the last used one first.' },
  ),
})

export async function listSessions(
  sessions: SessionManager,
  current: LiveSession,
): Promise<Static<typeof SessionList>> {
  const listed = await sessions.list(current.person.id)
  return {
    sessions: listed.map(({ id, userAgent, coarseNetwork, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      device: describeDevice(userAgent),
      network: coarseNetwork || null,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      isCurrent: id === current.id,
    })),
  }
}
