/** Parsers for option values of commands. Each throws a `UsageError` that names the option. */
import { readFileSync } from 'node:fs'
import { parseKeyWithPrefix, type RunnerToken } from '../../keys/key-format.ts'
import { describeInvalidNetwork } from '../../keys/key-rules.ts'
import { type Scope, scopes } from '../../keys/scopes.ts'
import { emailPattern } from '../../people/email.ts'
import { type MemberRole, memberRoles } from '../../people/member-role.ts'
import { type Id, isId } from '../../platform/ids.ts'
import { UsageError } from '../usage-error.ts'

export const createTextParser =
  (maxCharacters: number) =>
  (text: string, name: string): string => {
    if (/[\p{Cc}\u2028\u2029]/u.test(text))
      throw new UsageError(`--${name} must not contain line breaks or control characters.`)
    if ([...text].length > maxCharacters)
      throw new UsageError(`--${name} must not be longer than ${maxCharacters} characters.`)
    return text
  }

export function parseProjectId(text: string, name: string): Id<'prj'> {
  if (!isId('prj', text))
    throw new UsageError(
      `--${name} must be a project ID such as prj_…, not "${text}". To list projects, run: colophon-server admin project list`,
    )
  return text
}

export const parseProjectIds = (text: string, name: string): Id<'prj'>[] =>
  parseCommaSeparatedList(text).map((entry) => parseProjectId(entry, name))

export function parseRunnerId(text: string, name: string): Id<'run'> {
  if (!isId('run', text)) throw new UsageError(`--${name} must be a runner ID such as run_…, not "${text}".`)
  return text
}

export function readRunnerToken(path: string, name: string): RunnerToken {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch {
    throw new UsageError(`--${name} must be the path of a readable file, got ${path}.`)
  }
  const token = parseKeyWithPrefix('colophon_runner_', text)
  if (!token) throw new UsageError(`--${name}: ${path} does not contain the token of a runner.`)
  return token
}

export const parseCommaSeparatedList = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

export function parseEmail(text: string, name: string): string {
  if (text.length > 254 || !new RegExp(emailPattern).test(text))
    throw new UsageError(`--${name} must be an email address, not "${text}".`)
  return text
}

export const createChoiceParser =
  <const Choice extends string>(choices: readonly Choice[]) =>
  (text: string, name: string): Choice => {
    const choice = choices.find((known) => known === text)
    if (choice === undefined) throw new UsageError(`--${name} must be one of ${choices.join(', ')}, not "${text}".`)
    return choice
  }

export const parseRole: (text: string, name: string) => MemberRole = createChoiceParser(memberRoles)

export const parseCodeHost: (text: string, name: string) => 'gitea' | 'github' = createChoiceParser(['gitea', 'github'])

export function parseRepositoryName(text: string, option: string): { owner: string; name: string } {
  const [owner = '', name = '', ...rest] = createTextParser(300)(text, option).split('/')
  if (!owner || !name || rest.length > 0) throw new UsageError(`--${option} must be OWNER/NAME, not "${text}".`)
  return { owner, name }
}

export const parseScopes = (text: string): Scope[] =>
  text.split(',').map((entry) => {
    const scope = scopes.find((known) => known === entry.trim())
    if (!scope) throw new UsageError(`Unknown scope "${entry.trim()}". The scopes are ${scopes.join(', ')}.`)
    return scope
  })

export function parseNetworks(text: string, name: string): string[] {
  const networks = text.split(',').map((network) => network.trim())
  for (const mistake of networks.map(describeInvalidNetwork))
    if (mistake) throw new UsageError(`--${name}: ${mistake}.`)
  return networks
}

export function parseExpiryDays(text: string, name: string): Date {
  const days = Number(text)
  if (!(days > 0 && days <= 36_500)) throw new UsageError(`--${name} must be a number of days, at most 36500.`)
  return inDays(days)
}

export const inDays = (days: number): Date => new Date(Date.now() + days * 24 * 3600 * 1000)

export function parseOverlapHours(text: string, name: string): number {
  const hours = parseWholeNumber(text, name)
  if (hours > 168) throw new UsageError(`--${name} must be at most 168 hours, which are 7 days.`)
  return hours
}

export function parseWholeNumber(text: string, name: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}".`)
  return Number(text)
}
