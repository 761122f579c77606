/** Reads the permissions table in docs/roles.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const callers = ['nobody', 'viewer', 'editor', 'owner', "another project's owner", 'operator'] as const
export type Caller = (typeof callers)[number]

/** `yes`: allowed, or rejected for a reason other than who the caller is. Otherwise the status of the rejection. */
export type AccessVerdict = 'yes' | '401' | '403' | '404'

export type RoleTable = ReadonlyMap<string, Readonly<Record<Caller, AccessVerdict>>>

export function readRoleTable(): RoleTable {
  const text = readFileSync(join(import.meta.dirname, '../../docs/roles.md'), 'utf8')
  const rows = text.matchAll(/^\| `((?:GET|POST|PATCH|DELETE) [^`]+)` +\|(.+)\|$/gm)
  return new Map(
    [...rows].map(([, route = '', cells = '']) => {
      const verdicts = cells.split('|').map((cell) => cell.trim())
      if (verdicts.length !== callers.length || !verdicts.every(isVerdict))
        throw new Error(`docs/roles.md, ${route}: the row must have ${callers.length} cells, each yes, 401, 403 or 404`)
      return [
        route,
        Object.fromEntries(callers.map((caller, index) => [caller, verdicts[index]])) as Record<Caller, AccessVerdict>,
      ]
    }),
  )
}

const isVerdict = (text: string): text is AccessVerdict => ['yes', '401', '403', '404'].includes(text)
