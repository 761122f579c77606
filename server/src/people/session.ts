import type { Id } from '../platform/ids.ts'

/** Somebody who can sign in. What they may do in a project is their role there. */
export interface Person {
  id: Id<'per'>
  email: string
  name: string
  /** Runs the installation: makes projects, adds models. */
  isOperator: boolean
}

export interface LiveSession {
  id: Id<'ses'>
  person: Person
  createdAt: Date
  expiresAt: Date
}

export const sessionCookieName = '__Host-colophon_session'
