import type { Id } from '../platform/ids.ts'

/** A person with an account. What they may do in a project depends on their role in it. */
export interface Person {
  id: Id<'per'>
  email: string
  name: string
  /** Whether the person administers the instance: operators create projects and add models. */
  isOperator: boolean
  /** Whether the person has an authenticator app or a passkey, so that a password alone does not sign them in. */
  hasSecondFactor: boolean
}

export interface LiveSession {
  id: Id<'ses'>
  person: Person
  createdAt: Date
  expiresAt: Date
  signInMethod: SignInMethod
  /** When the person last entered their credentials. With a provider, that can be long before the session was created. */
  authenticatedAt: Date
}

/** What a person can have besides their password. A passkey also signs in without the password. */
export type SecondFactor = 'authenticator' | 'passkey'

/** `provider`: the OpenID Connect provider, which decides itself whether it asks for a second factor. */
export type SignInMethod = 'password' | 'passkey' | 'provider'

/** Whether the session meets the requirement of a second factor. */
export const hasPassedSecondFactor = ({ person, signInMethod }: LiveSession): boolean =>
  person.hasSecondFactor || signInMethod === 'provider'

/** What a session records of the browser that signs in, besides its cookies. */
export interface Browser {
  cookieHeader: string
  userAgent: string
  /** Not the whole address: enough to recognize where a session was started, too little to identify a household. */
  coarseNetwork: string
}

/** One of the sessions of a person, for their list of sessions. */
export interface ListedSession {
  id: Id<'ses'>
  userAgent: string | null
  coarseNetwork: string | null
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

export const sessionCookieName = '__Host-colophon_session'

/** Holds the sign-in between the password and the second factor. */
export const secondFactorCookieName = '__Host-colophon_second_factor'
