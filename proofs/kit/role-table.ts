/** The table of docs/roles.md, as people read it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const visitors = ['nobody', 'viewer', 'editor', 'owner', "another project's owner", 'operator'] as const
export type Visitor = (typeof visitors)[number]

/** `yes`: it is done, or refused for what it asks and not for who asks. Otherwise the status of the refusal. */
export type Verdict = 'yes' | '401' | '403' | '404'

export type RoleTable = ReadonlyMap<string, Readonly<Record<Visitor, Verdict>>>

export function readRoleTable(): RoleTable {
  const text = readFileSync(join(import.meta.dirname, '../../docs/roles.md'), 'utf8')
  const rows = text.matchAll(/^\| `((?:GET|POST|PATCH|DELETE) [^`]+)` +\|(.+)\|$/gm)
  return new Map(
    [...rows].map(([, route = '', cells = '']) => {
      const verdicts = cells.split('|').map((cell) => cell.trim())
      if (verdicts.length !== visitors.length || !verdicts.every(isVerdict))
        throw new Error(`docs/roles.md, ${route}: has to have ${visitors.length} of yes, 401, 403 and 404`)
      return [
        route,
        Object.fromEntries(visitors.map((who, index) => [who, verdicts[index]])) as Record<Visitor, Verdict>,
      ]
    }),
  )
}

const isVerdict = (text: string): text is Verdict => ['yes', '401', '403', '404'].includes(text)
