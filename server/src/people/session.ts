import type { Id } from '../platform/ids.ts'

/** A person with an account. What they may do in a project depends on their role in it. */
export interface Person {
  id: Id<'per'>
  email: string
  name: string
  /** Whether the person administers the instance: operators create projects and add models. */
  isOperator: boolean
}

export interface LiveSession {
  id: Id<'ses'>
  person: Person
  createdAt: Date
  expiresAt: Date
}

export const sessionCookieName = '__Host-colophon_session'
