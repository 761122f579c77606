/** Runs commands from a declarative table, and generates their help from it. */
import { parseArgs } from 'node:util'
import { version } from '../platform/version.ts'
import { UsageError } from './usage-error.ts'

/** An option with a value. `parse` converts the value, or throws a `UsageError`. */
interface ValueOption {
  placeholder: string
  description: string
  required?: true
  parse?: (text: string, name: string) => unknown
}

interface Flag {
  description: string
}

type OptionTable = Readonly<Record<string, ValueOption | Flag>>

type ValueOf<Option> = Option extends { parse: (...args: never[]) => infer Value }
  ? Value
  : Option extends { placeholder: string }
    ? string
    : boolean

type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: Options[Name] extends { required: true }
    ? ValueOf<Options[Name]>
    : ValueOf<Options[Name]> | undefined
}

export interface Command {
  /** One line for the list of commands. */
  summary: string
  /** More lines for the command's own help. */
  description?: string
  options: OptionTable
  /** Placeholder of the operands, for example `FILE...`. A command without it takes no operands. */
  operands?: string
  run(values: never, operands: readonly string[]): Promise<void>
}

export interface CommandGroup {
  /** What the user types, for example `colophon-server admin`. */
  name: string
  summary: string
  /** Printed at the end of the group's help. */
  notes?: string
  /** A name may consist of several words, for example `key create`. */
  commands: Readonly<Record<string, Command | LazyCommandGroup>>
}

/** A group whose commands are loaded only when one of them is used. */
interface LazyCommandGroup {
  summary: string
  load(): Promise<CommandGroup>
}

/** Gives `run` the types of the values of `options`. */
export const defineCommand = <const Options extends OptionTable>(definition: {
  summary: string
  description?: string
  options: Options
  operands?: string
  run(values: OptionValues<Options>, operands: readonly string[]): Promise<void>
}): Command => definition

/** Prints help or the version to standard output, or runs the command. Throws a `UsageError` for a mistake in the arguments. */
export async function runCommandLine(group: CommandGroup, args: readonly string[]): Promise<void> {
  if (args[0] === 'help') return runCommandLine(group, [...args.slice(1), '--help'])
  const path = commandPath(args)
  const name = findCommandName(group, path)
  const entry = name === undefined ? undefined : group.commands[name]
  if (name === undefined || entry === undefined) return print(groupOutput(group, path, args))
  const rest = args.slice(name.split(' ').length)
  if ('load' in entry) return runCommandLine(await entry.load(), rest)
  const fullName = `${group.name} ${name}`
  try {
    if (wantsHelp(rest)) return print(formatCommandHelp(fullName, entry))
    if (wantsVersion(rest)) return print(version)
    const { values, operands } = parseArguments(entry, rest)
    await entry.run(values as never, operands)
  } catch (error) {
    if (error instanceof UsageError) error.command ??= fullName
    throw error
  }
}

/** The help or the version, if the path does not name a command. Throws if neither was requested. */
function groupOutput(group: CommandGroup, path: readonly string[], args: readonly string[]): string {
  const prefix = path.map((word) => `${word} `).join('')
  const isKnown = Object.keys(group.commands).some((name) => name.startsWith(prefix))
  const option = args[path.length]
  if (isKnown && wantsHelp(args)) return formatGroupHelp(group, prefix)
  if (isKnown && wantsVersion(args)) return version
  if (!isKnown) throw usageError(`Unknown command "${group.name} ${path.join(' ')}".`, group.name)
  throw usageError(
    option === undefined ? 'Missing command.' : `Unknown option '${option}'.`,
    `${group.name} ${prefix}`.trimEnd(),
  )
}

function usageError(message: string, command: string): UsageError {
  const error = new UsageError(message)
  error.command = command
  return error
}

const beforeTerminator = (args: readonly string[]) => (args.includes('--') ? args.slice(0, args.indexOf('--')) : args)
const wantsHelp = (args: readonly string[]) => beforeTerminator(args).some((arg) => arg === '--help' || arg === '-h')
const wantsVersion = (args: readonly string[]) => beforeTerminator(args).includes('--version')

function commandPath(args: readonly string[]): readonly string[] {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'))
  return firstOption === -1 ? args : args.slice(0, firstOption)
}

function findCommandName({ commands }: CommandGroup, path: readonly string[]): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join(' ')
    if (Object.hasOwn(commands, name)) return name
  }
  return undefined
}

function parseArguments(
  { options, operands: operandPlaceholder }: Command,
  args: readonly string[],
): { values: Record<string, unknown>; operands: readonly string[] } {
  const { values: texts, positionals } = splitArguments(options, args)
  if (operandPlaceholder === undefined && positionals.length > 0)
    throw new UsageError(`Unexpected argument "${positionals[0]}".`)
  if (operandPlaceholder !== undefined && positionals.length === 0)
    throw new UsageError(`Missing argument: ${operandPlaceholder}`)
  const values: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options)) {
    const text = texts[name]
    const isBlank = text === undefined || (typeof text === 'string' && text.trim() === '')
    if ('required' in option && option.required && isBlank) throw new UsageError(`Missing option --${name}.`)
    values[name] = typeof text === 'string' && 'parse' in option && option.parse ? option.parse(text, name) : text
  }
  return { values, operands: positionals }
}

function splitArguments(options: OptionTable, args: readonly string[]) {
  const types = Object.entries(options).map(([name, option]) => {
    const type: 'string' | 'boolean' = 'placeholder' in option ? 'string' : 'boolean'
    return [name, { type }] as const
  })
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(types), allowPositionals: true })
  } catch (error) {
    const [message = ''] = (error as Error).message.split(/\. To specify a positional/)
    throw new UsageError(message.endsWith('.') ? message : `${message}.`)
  }
}

const commonOptions: readonly [string, string][] = [
  ['--help, -h', 'Show this help'],
  ['--version', 'Show the version'],
]

function formatCommandHelp(name: string, { summary, description, options, operands }: Command): string {
  const entries = Object.entries(options)
  const required = entries.flatMap(([option, spec]) =>
    'required' in spec && spec.required ? [`--${option} ${spec.placeholder}`] : [],
  )
  const usage = [
    name,
    ...required,
    ...(required.length < entries.length ? ['[OPTIONS]'] : []),
    ...(operands === undefined ? [] : [operands]),
  ]
  const rows = entries.map(([option, spec]): [string, string] => [
    'placeholder' in spec ? `--${option} ${spec.placeholder}` : `--${option}`,
    spec.description + ('required' in spec && spec.required ? ' (required)' : ''),
  ])
  return [
    `Usage: ${usage.join(' ')}`,
    '',
    `${summary}.`,
    ...(description === undefined ? [] : ['', description]),
    '',
    'Options:',
    ...formatRows([...rows, ...commonOptions]),
  ].join('\n')
}

/** Of the whole group, or only of the commands whose names start with `prefix`. */
function formatGroupHelp({ name, summary, notes, commands }: CommandGroup, prefix: string): string {
  const listed = Object.entries(commands).filter(([command]) => command.startsWith(prefix))
  return [
    `Usage: ${name} ${prefix}COMMAND [OPTIONS]`,
    '',
    ...(prefix === '' ? [`${summary}.`, ''] : []),
    'Commands:',
    ...formatRows(listed.map(([command, entry]) => [command, entry.summary])),
    '',
    'Options:',
    ...formatRows(commonOptions),
    '',
    `Run '${name} ${prefix}COMMAND --help' for the options of a command.`,
    ...(notes === undefined ? [] : [notes]),
  ].join('\n')
}

function formatRows(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`)
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)
