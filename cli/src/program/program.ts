/** All commands. Help, shell completion and the man page are made from what is declared here. */
import { Command, type CommanderError } from 'commander'
import { addDoctorCommand } from '../doctor/doctor-command.ts'
import { exitCodeTable } from '../exit-codes.ts'
import { addImportLogsCommand } from '../import-logs/import-logs-command.ts'
import { addJobCommands } from '../jobs/job-commands.ts'
import { addKeyCommands } from '../keys/key-commands.ts'
import { addLoginCommands } from '../login/login-command.ts'
import { addMcpCommand } from '../mcp/mcp-command.ts'
import { addProjectsCommand } from '../projects/projects-command.ts'
import { environmentVariables } from '../reference/environment-variables.ts'
import { addReferenceCommands } from '../reference/reference-commands.ts'
import { addStatusCommand } from '../status/status-command.ts'
import { addViewsCommand } from '../views/views-command.ts'
import type { CommandContext } from './command-context.ts'
import { usageError } from './failure.ts'
import { version } from './version.ts'

/** Each adds one command, or a group of commands. Another subcommand needs one line here. */
const commandGroups: readonly ((program: Command, context: CommandContext) => void)[] = [
  addLoginCommands,
  addJobCommands,
  addViewsCommand,
  addImportLogsCommand,
  addProjectsCommand,
  addKeyCommands,
  addMcpCommand,
  addStatusCommand,
  addDoctorCommand,
  addReferenceCommands,
]

export function createProgram(context: CommandContext): Command {
  const program = new Command('colophon')
    .description('Work with a Colophon instance from a terminal or from CI.')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .addHelpText('after', () => `\n${formatReference()}`)
    .configureOutput({ outputError: () => {} }) // main prints the message of the error
  for (const addCommands of commandGroups) addCommands(program, context)
  for (const command of listCommands(program)) command.exitOverride((error) => endParsing(command, error))
  return program
}

/** A command and everything below it. */
export const listCommands = (command: Command): Command[] => [command, ...command.commands.flatMap(listCommands)]

/** For example `colophon job create`. */
export const fullNameOf = (command: Command): string =>
  command.parent ? `${fullNameOf(command.parent)} ${command.name()}` : command.name()

/** Help and version were printed, or there is a mistake in the command line. */
function endParsing(command: Command, error: CommanderError): never {
  if (error.exitCode === 0) throw error
  const message =
    error.code === 'commander.help' ? 'Missing command.' : capitalize(error.message.replace(/^error: /, ''))
  throw usageError(`${message}${/[.)]$/.test(message) ? '' : '.'}\nRun '${fullNameOf(command)} --help' for usage.`)
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function formatReference(): string {
  const nameWidth = Math.max(...environmentVariables.map(([name]) => name.length))
  return [
    'Environment variables:',
    ...environmentVariables.map(([name, meaning]) => `  ${name.padEnd(nameWidth)}  ${meaning}`),
    '',
    'Exit codes:',
    ...exitCodeTable.map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`),
  ].join('\n')
}
