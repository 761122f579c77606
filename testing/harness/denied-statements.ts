/**
 * Fails every integration test file in which PostgreSQL denied a statement to the database role of `api` or `worker`. Background work
 * only logs its failures, so without this a privilege that is missing in `server/src/database/grants.ts` could stay unnoticed.
 */
import pg from 'pg'
import { afterAll, expect } from 'vitest'
import { databaseRoles } from './database-roles.ts'

const insufficientPrivilege = '42501'
const roles: readonly (string | undefined)[] = Object.values(databaseRoles)
const denied = new Set<string>()

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown
const prototype = pg.Client.prototype as unknown as { query: Query }
const { query } = prototype
prototype.query = function (...parameters) {
  const result = query.apply(this, parameters)
  if (result instanceof Promise)
    result.catch(({ code, message }: { code?: string; message: string }) => {
      if (code === insufficientPrivilege && roles.includes(this.user)) denied.add(`${this.user}: ${message}`)
    })
  return result
}

afterAll(() => {
  prototype.query = query // the next file of this process wraps it again
  expect([...denied], 'statements that PostgreSQL denied: see server/src/database/grants.ts').toEqual([])
})
