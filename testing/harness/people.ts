/** Signed-in people, each with the headers that a browser on our own pages would send. */

import type { Client } from '../../sdk/src/index.ts'
import { createBrowserClient } from './browser-client.ts'
import type { TestInstance } from './test-instance.ts'

export interface SignedInPerson {
  client: Client
  /** Values by name. */
  cookies: ReadonlyMap<string, string>
  /** Name, value, name, value …: the cookies and the origin. */
  headers(): string[]
  signInAgain(): Promise<void>
}

export const personPassword = 'a sentence that only people know'

export const toLocalhostOrigin = (apiUrl: string): string => apiUrl.replace('127.0.0.1', 'localhost')

function createPerson(apiUrl: string, email: string): SignedInPerson {
  const { client, cookies } = createBrowserClient(apiUrl, toLocalhostOrigin(apiUrl))
  return {
    client,
    cookies,
    headers: () => [
      'cookie',
      [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'origin',
      toLocalhostOrigin(apiUrl),
    ],
    signInAgain: async () => void (await client.session.signIn({ email, password: personPassword })),
  }
}

/** Creates the first owner with a one-time token, as `colophon-server admin owner-link create` makes it. */
export async function createFirstOwner(
  apiUrl: string,
  { stores }: Pick<TestInstance, 'stores'>,
  name = 'The First',
): Promise<SignedInPerson> {
  const email = 'first@example.com'
  const owner = createPerson(apiUrl, email)
  const token = await stores.people.createFirstOwnerToken()
  await owner.client.session.createFirstOwner({ token, name, email, password: personPassword })
  return owner
}

/** Creates a person by an invitation to a project. */
export async function createInvitedMember(
  apiUrl: string,
  owner: SignedInPerson,
  { projectId, role, email }: { projectId: string; role: 'owner' | 'editor' | 'viewer'; email: string },
): Promise<SignedInPerson> {
  const { url } = await owner.client.invitations.create(projectId, { email, role })
  const member = createPerson(apiUrl, email)
  await member.client.invitations.accept({
    token: new URL(url ?? '').hash.slice(1),
    name: email,
    password: personPassword,
  })
  return member
}
