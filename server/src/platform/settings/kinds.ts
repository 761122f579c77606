/** The kinds of settings: how their text is parsed, and what is reported if it is wrong. */
import { isIP } from 'node:net'
import type { Id } from '../ids.ts'
import type { SealingKeysParseResult } from '../sealed-secrets/sealing-keys.ts'
import type { Kind, Setting } from './setting.ts'

export const text: Kind<string> = { parse: (value) => value }

const checkedText = (
  isValid: (text: string) => boolean,
  describeError: (setting: Setting, text: string) => string,
): Kind<string> => ({
  parse(value, setting, env) {
    if (!isValid(value)) env.addError(describeError(setting, value))
    return value
  },
})

export const longText = (minLength: number, advice: string) =>
  checkedText(
    (value) => value.length >= minLength,
    ({ name }) => `${name} must have at least ${minLength} characters, ${advice}`,
  )

/** `schemes`: like `https:`. */
export const url = (...schemes: string[]) =>
  checkedText(
    (value) => schemes.includes(URL.parse(value)?.protocol ?? ''),
    ({ name, kind, purpose }, value) => {
      const prefixes = schemes.map((scheme) => `${scheme}//`).join(' or ')
      return `${name} must be a URL that starts with ${prefixes}${kind.file ? '' : `, got ${value}`}: ${purpose}`
    },
  )

/** For a URL that is only shown. */
export const httpsLink = checkedText(
  (value) => /^https:\/\/\S+$/.test(value),
  ({ name }, value) => `${name} must be a URL that starts with https://, got ${value}`,
)

/** Minute, hour, day of the month, month, day of the week. */
const cronRanges = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12 },
  { min: 0, max: 7 },
] as const

/** Like `*`, `5` and `1-5`, each of them also with a step, like `1-5/2`. */
const cronEntry = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/[1-9]\d?)?$/

function isCronEntry(entry: string, { min, max }: { min: number; max: number }): boolean {
  const match = cronEntry.exec(entry)
  const first = Number(match?.[1] ?? min)
  const last = Number(match?.[2] ?? max)
  return match !== null && min <= first && first <= last && last <= max
}

/** The five fields of cron, without names of months and days. */
export const cronExpression = checkedText(
  (value) => {
    const fields = value.split(' ')
    return (
      fields.length === cronRanges.length &&
      cronRanges.every((range, index) => fields[index]?.split(',').every((entry) => isCronEntry(entry, range)))
    )
  },
  ({ name }, value) => `${name} must be five fields of cron, like "17 2 * * *", got ${value}`,
)

export const integer = (min: number, max: number): Kind<number> => ({
  accepts: `From ${min} to ${max}.`,
  parse(value, { name }, env) {
    const number = Number(value)
    if (Number.isInteger(number) && number >= min && number <= max) return number
    env.addError(`${name} must be an integer from ${min} to ${max}, got ${value}`)
    return undefined
  },
})

/** `none`: no limit, also where the default is one. */
export const limit = (max: number): Kind<number | 'none'> => ({
  accepts: `From 0 to ${max}, or \`none\` for no limit.`,
  parse(value, { name }, env) {
    if (value === 'none') return value
    const number = Number(value)
    if (Number.isInteger(number) && number >= 0 && number <= max) return number
    env.addError(`${name} must be an integer from 0 to ${max}, or none for no limit, got ${value}`)
    return undefined
  },
})

export const oneOf = <const Choice extends string>(...choices: Choice[]): Kind<Choice> => ({
  accepts: `One of ${choices.map((choice) => `\`${choice}\``).join(', ')}.`,
  parse(value, { name }, env) {
    const chosen = choices.find((choice) => choice === value)
    if (chosen === undefined) env.addError(`${name} must be one of ${choices.join(', ')}, got ${value}`)
    return chosen
  },
})

export const listenAddress: Kind<{ host: string; port: number }> = {
  parse(value, { name }, env) {
    const [, host, digits] = value.match(/^\[?([^\]]+?)\]?:(\d{1,5})$/) ?? []
    const port = Number(digits)
    if (host && port <= 65_535) return { host, port }
    env.addError(`${name} must be host:port, like 0.0.0.0:8080 or [::]:8080, got ${value}`)
    return undefined
  },
}

export const sealingKeys = <Keys>(parse: (text: string) => SealingKeysParseResult<Keys>): Kind<Keys> => ({
  parse(value, { name }, env) {
    const parsed = parse(value)
    if (parsed.ok) return parsed.keys
    for (const error of parsed.errors) env.addError(`${name}: ${error}`)
    return undefined
  },
})

/** Entries separated by commas. `entries` completes "must be a comma-separated list of …". */
export const list = (entries: string, isValid: (entry: string) => boolean): Kind<readonly string[]> => ({
  parse(value, { name }, env) {
    const parsed = value.split(',').flatMap((entry) => entry.trim() || [])
    for (const entry of parsed)
      if (!isValid(entry)) env.addError(`${name} must be a comma-separated list of ${entries}, got ${entry}`)
    return parsed
  },
})

export const hosts = list('host:port', () => true)

export const networks = list('IP addresses or networks, like 10.0.0.0/8', (entry) => {
  const [address = '', bits, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
})

/** Each becomes a line of security.txt: spaces and line breaks could add others. */
export const contacts = list('URIs like mailto:security@example.com or https://example.com/report', (entry) =>
  /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/.test(entry),
)

export const mapped = <From, To>(kind: Kind<From>, map: (value: From) => To | undefined): Kind<To> => ({
  ...kind,
  parse(value, setting, env) {
    const parsed = kind.parse(value, setting, env)
    return parsed === undefined ? undefined : map(parsed)
  },
})

export const boolean = mapped(oneOf('true', 'false'), (choice) => choice === 'true')
export const withoutTrailingSlashes = (address: string) => address.replace(/\/+$/, '')

export const emailDomains = mapped(
  list('domains like example.com', (entry) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(entry)),
  (domains) => domains.map((domain) => domain.toLowerCase()),
)

export const scopeNames = list('OAuth scopes like groups', (entry) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(entry))

export const claimValues = list('values like mfa', (entry) => /^[\x21-\x7e]+$/.test(entry))

const groupRolePattern = /^(.+)=(?:operator|(owner|editor|viewer):(prj_[0-7][0-9a-hjkmnp-tv-z]{25}))$/

/** The group may contain `=`, but no comma. */
export const groupRoles = mapped(
  list('group=operator or group=role:project ID', (entry) => groupRolePattern.test(entry)),
  (entries) =>
    entries.map((entry) => {
      const [, group = '', role, projectId] = groupRolePattern.exec(entry) ?? []
      return {
        group,
        grants:
          role === undefined
            ? ('operator' as const)
            : { role: role as 'owner' | 'editor' | 'viewer', projectId: projectId as Id<'prj'> },
      }
    }),
)

/** Each becomes a form-action source in the Content-Security-Policy of the dashboard: other characters could change it. */
export const githubUrls = mapped(
  list('URLs like https://github.com', (entry) => URL.canParse(entry) && /^https?:\/\/[a-z0-9.:[\]/_-]+$/i.test(entry)),
  (urls) => (urls.length > 0 ? urls.map(withoutTrailingSlashes) : undefined),
)

/** Names and values of HTTP headers. A value may contain `=`, but no comma. It is not in the error, because it may be a key. */
export const headerValues: Kind<Readonly<Record<string, string>>> = {
  parse(value, { name }, env) {
    const entries = value.split(',').flatMap((entry) => {
      if (entry.trim() === '') return []
      const [, header, headerValue] = /^\s*([\w!#$%&'*+.^`|~-]+)=([\x20-\x7e]+?)\s*$/.exec(entry) ?? []
      if (header === undefined || headerValue === undefined) {
        env.addError(`${name} must be a comma-separated list of headers like authorization=Bearer abc`)
        return []
      }
      return [[header, headerValue] as const]
    })
    return Object.fromEntries(entries)
  },
}

/** Can also be read from a file, and is never printed. */
export const secret = <Value>(kind: Kind<Value>): Kind<Value> => ({ ...kind, file: 'secret' })
/** Can also be read from a file. */
export const inFile = <Value>(kind: Kind<Value>): Kind<Value> => ({ ...kind, file: 'public' })

/** Public keys of age. Post-quantum ones are longer and begin with `age1pq1`. */
export const ageRecipients = list('age recipients like age1…', (entry) => /^age1[02-9ac-hj-np-z]+$/.test(entry))

/** The secret keys in the text of a file that `age-keygen` or `colophon-server backup key generate` wrote. */
export const ageIdentities: Kind<readonly string[]> = {
  parse(value, { name }, env) {
    const identities = value.match(/^AGE-SECRET-KEY-[0-9A-Z-]+$/gm) ?? []
    if (identities.length === 0) env.addError(`${name} must contain an age identity, like AGE-SECRET-KEY-1…`)
    return identities
  },
}
