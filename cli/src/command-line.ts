/** Runs commands from a declarative table, and generates their help from it. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { exitCodes } from './exit-codes.ts'
import { UsageError } from './usage-error.ts'

export interface CommandOption {
  description: string
  /** Of the option's value. An option without it is a flag. */
  placeholder?: string
}

/** By name: a string, or true for a flag. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>

export interface Command {
  /** One line for the list of commands. */
  summary: string
  options: Readonly<Record<string, CommandOption>>
  /** Returns the exit code. */
  run(values: OptionValues, environment: NodeJS.ProcessEnv): Promise<number>
}

type CommandTable = Readonly<Record<string, Command>>

const program = 'colophon'
const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Prints help or the version, or runs the command. Reports mistakes on standard error. Returns the exit code. */
export async function runCommandLine(
  commands: CommandTable,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const [first, ...rest] = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  const isCommand = first !== undefined && Object.hasOwn(commands, first)
  const command = isCommand ? commands[first] : undefined
  const fullName = isCommand ? `${program} ${first}` : program
  try {
    if (command) {
      if (wantsHelp(rest)) return print(formatCommandHelp(fullName, command))
      if (rest.includes('--version')) return print(manifest.version)
      return await command.run(parseOptions(command, rest), environment)
    }
    if (first === undefined) throw new UsageError('Missing command.')
    if (wantsHelp([first])) return print(formatHelp(commands))
    if (first === '--version') return print(manifest.version)
    throw new UsageError(first.startsWith('-') ? `Unknown option '${first}'.` : `Unknown command "${first}".`)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${program}: ${error.message}\nRun '${fullName} --help' for usage.`)
    return exitCodes.usage
  }
}

const wantsHelp = (args: readonly string[]) => args.includes('--help') || args.includes('-h')

function parseOptions({ options }: Command, args: readonly string[]): OptionValues {
  const types = Object.entries(options).map(([name, { placeholder }]) => {
    const type: 'string' | 'boolean' = placeholder === undefined ? 'boolean' : 'string'
    return [name, { type }] as const
  })
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(types) }).values as OptionValues
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}.`)
  }
}

const commonOptions: readonly [string, string][] = [
  ['--help, -h', 'Show this help'],
  ['--version', 'Show the version'],
]

const formatHelp = (commands: CommandTable): string =>
  [
    `Usage: ${program} COMMAND [OPTIONS]`,
    '',
    'Work with a Colophon instance from a terminal or from CI.',
    '',
    'Commands:',
    ...formatRows(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    '',
    'Options:',
    ...formatRows(commonOptions),
    '',
    `Run '${program} COMMAND --help' for the options of a command.`,
    'Exit codes: 0 success, 1 failure, 2 usage error.',
  ].join('\n')

function formatCommandHelp(name: string, { summary, options }: Command): string {
  const rows = Object.entries(options).map(([option, { placeholder, description }]): [string, string] => [
    placeholder === undefined ? `--${option}` : `--${option} ${placeholder}`,
    description,
  ])
  return [
    `Usage: ${name} [OPTIONS]`,
    '',
    `${summary}.`,
    '',
    'Options:',
    ...formatRows([...rows, ...commonOptions]),
  ].join('\n')
}

function formatRows(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length))
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`)
}

function print(text: string): number {
  console.log(text)
  return exitCodes.ok
}
