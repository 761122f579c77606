/** Options that several commands have, and how their values are read. */
import { type Command, InvalidArgumentError, Option } from 'commander'

/** Of every command that calls the API. */
export interface InstanceOptions {
  url?: string
  project?: string
}

export const addInstanceOptions = (command: Command): Command =>
  addUrlOption(command).option(
    '--project <id>',
    'ID of the project; defaults to COLOPHON_PROJECT_ID, then to that of the API key',
  )

export const addUrlOption = (command: Command): Command =>
  command.option('--url <url>', 'URL of the instance; defaults to COLOPHON_URL, then to that of `colophon login`')

export interface JsonOption {
  json?: boolean
}

export const addJsonOption = (command: Command): Command => command.option('--json', 'print JSON')

export const choiceOption = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices)

/** For an option with a whole number from 1. */
export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** `90`, `90s`, `30m` or `2h`, in seconds. */
export function parseDurationSeconds(text: string): number {
  const [, count, unit = 's'] = /^([1-9]\d{0,6})([smh]?)$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('Write it as 90s, 30m or 2h.')
  return Number(count) * (secondsByUnit[unit || 's'] ?? 1)
}

/** For an option that can be repeated. */
export const appendValue = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value]

/** The API distinguishes a field that is absent, and TypeScript one that is undefined. */
export const withoutUndefined = <Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
