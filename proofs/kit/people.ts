/** People who are signed in, for proofs: each with the headers that a browser on our own pages would send. */
import { browserLike } from '../../dev-services/browser-like.ts'
import { runColophon } from '../../dev-services/colophon.ts'
import type { Client } from '../../sdk/src/index.ts'

export interface SignedInPerson {
  client: Client
  /** By name. */
  cookies: ReadonlyMap<string, string>
  /** Name, value, name, value …: the cookie and where the request comes from. */
  headers(): string[]
  signInAgain(): Promise<void>
}

export const password = 'a sentence that only people know'

export const originOf = (apiUrl: string): string => apiUrl.replace('127.0.0.1', 'localhost')

function person(apiUrl: string, email: string): SignedInPerson {
  const { client, cookies } = browserLike(apiUrl, originOf(apiUrl))
  return {
    client,
    cookies,
    headers: () => [
      'cookie',
      [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'origin',
      originOf(apiUrl),
    ],
    signInAgain: async () => void (await client.session.signIn({ email, password })),
  }
}

/** The first owner, by the link that the command prints. */
export async function firstOwner(apiUrl: string, environment: Record<string, string>): Promise<SignedInPerson> {
  const link = await runColophon(['admin', 'owner-link'], { environment })
  const email = 'first@example.com'
  const first = person(apiUrl, email)
  const token = new URL(link).hash.slice(1)
  await first.client.session.createFirstOwner({ token, name: 'The First', email, password })
  return first
}

/** Somebody new, invited to a project by its owner. */
export async function invited(
  apiUrl: string,
  owner: SignedInPerson,
  { projectId, role, email }: { projectId: string; role: 'owner' | 'editor' | 'viewer'; email: string },
): Promise<SignedInPerson> {
  const { url } = await owner.client.invitations.create(projectId, { email, role })
  const newcomer = person(apiUrl, email)
  await newcomer.client.invitations.accept({ token: new URL(url).hash.slice(1), name: email, password })
  return newcomer
}
