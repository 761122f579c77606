/**
 * Projects whose IDs, site keys and pages follow from their number, so that PostgreSQL, ClickHouse and the sender of beacons can
 * each compute them, instead of passing lists of a hundred thousand around.
 */
import { createHash } from 'node:crypto'
import type { Id } from '../../server/src/platform/ids.ts'

/** Pages that each project has at the start. */
export const pagesPerProject = 50

/** The time in the IDs: projects were created before the week that the tables cover. */
const createdAtMs = Date.UTC(2026, 0, 1)
const idDigits = 16

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'

/** The first ten characters of a TypeID are its time. */
export function encodeIdTime(ms: number): string {
  let text = ''
  for (let rest = ms; text.length < 10; rest = Math.floor(rest / 32)) text = crockford.charAt(rest % 32) + text
  return text
}

const projectIdStart = `prj_${encodeIdTime(createdAtMs)}`

export const projectIdOf = (project: number): Id<'prj'> =>
  `${projectIdStart}${String(project).padStart(idDigits, '0')}` as Id<'prj'>

export const siteKeyOf = (project: number): string =>
  `site_${createHash('md5').update(`site ${project}`).digest('hex').slice(0, 24)}`

export const pagePathOf = (page: number): string => `/docs/page-${page}`

/** The same for PostgreSQL, as expressions of a project's number. */
export const postgresProject = {
  id: (project: string) => `'${projectIdStart}' || lpad((${project})::text, ${idDigits}, '0')`,
  siteKey: (project: string) => `'site_' || left(md5('site ' || ${project}), 24)`,
}

/** The same for ClickHouse. */
export const clickhouseProjectId = (project: string): string =>
  `concat('${projectIdStart}', leftPad(toString(${project}), ${idDigits}, '0'))`

/**
 * Half of the views are spread evenly over all projects, the other half by Zipf's law: few projects have many views. The rank is
 * multiplied with a prime, so that popular projects are not next to each other in the tables.
 */
const prime = 7_919

/** All projects one after another, so that each is active in the run. */
export const projectInTurn = (projects: number, turn: number): number => ((turn % projects) * prime) % projects

/** By Zipf's law; `position` is a random number in [0, 1). */
export const popularProject = (projects: number, position: number): number =>
  ((Math.floor((projects + 1) ** position) - 1) * prime) % projects

/** Both halves for ClickHouse, as an expression of two random numbers. */
export const clickhousePickProject = (projects: number, choice: string, position: string): string =>
  `((if(${choice} < 0.5, toUInt64(floor(${position} * ${projects})), toUInt64(floor(pow(${projects + 1}, ${position})) - 1))
    * ${prime}) % ${projects})`
