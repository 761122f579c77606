/** The declared commands in the form that completion and man page need. */
import type { Command, Option } from 'commander'

export interface DescribedOption {
  /** As in help, for example `-q, --quiet` or `--ref <branch>`. */
  flags: string
  short: string | undefined
  long: string
  description: string
  takesValue: boolean
  choices: readonly string[]
}

export interface DescribedCommand {
  /** For example `colophon job create`. */
  path: string
  name: string
  /** For example `colophon job create [options] <prompt>`. */
  usage: string
  summary: string
  description: string
  arguments: readonly { name: string; description: string }[]
  options: readonly DescribedOption[]
  subcommands: readonly DescribedCommand[]
}

export function describeCommand(command: Command, parentPath = ''): DescribedCommand {
  const path = `${parentPath} ${command.name()}`.trim()
  const help = command.createHelp()
  return {
    path,
    name: command.name(),
    usage: `${path} ${command.usage()}`,
    summary: command.summary() || command.description(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
    })),
    options: help.visibleOptions(command).map(describeOption),
    subcommands: command.commands.map((subcommand) => describeCommand(subcommand, path)),
  }
}

const describeOption = ({ flags, short, long, description, required, argChoices }: Option): DescribedOption => ({
  flags,
  short,
  long: long ?? '',
  description,
  takesValue: required,
  choices: argChoices ?? [],
})

/** A command and everything below it. */
export const flattenCommands = (command: DescribedCommand): DescribedCommand[] => [
  command,
  ...command.subcommands.flatMap(flattenCommands),
]
