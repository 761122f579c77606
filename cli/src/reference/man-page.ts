/** The man page, made from the declared commands. */
import { exitCodeTable } from '../exit-codes.ts'
import { type DescribedCommand, flattenCommands } from './command-tree.ts'
import { environmentVariables } from './environment-variables.ts'

/** Backslashes and hyphens as roff writes them. A line must not start with its control characters. */
const escapeRoff = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '')
    .replace(/^(?=[.'])/gm, '\\&')

const entry = (term: string, text: string): string[] => ['.TP', `.B ${escapeRoff(term)}`, escapeRoff(text)]

export function formatManPage(program: DescribedCommand, version: string): string {
  const commands = flattenCommands(program).filter(({ subcommands }) => subcommands.length === 0)
  return [
    `.TH COLOPHON 1 "" "colophon ${version}" "User Commands"`,
    '.SH NAME',
    'colophon \\- work with a Colophon instance from a terminal or from CI',
    '.SH SYNOPSIS',
    '.B colophon',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...commands.flatMap(formatCommand),
    '.SH ENVIRONMENT',
    ...environmentVariables.flatMap(([name, meaning]) => entry(name, meaning)),
    '.SH EXIT STATUS',
    ...exitCodeTable.flatMap(({ code, meaning }) => entry(String(code), meaning)),
    '.SH FILES',
    ...entry('$XDG_CONFIG_HOME/colophon', 'what login stores; the default of XDG_CONFIG_HOME is ~/.config'),
    ...entry('$XDG_STATE_HOME/colophon', 'how far logs were imported; the default of XDG_STATE_HOME is ~/.local/state'),
    '',
  ].join('\n')
}

const formatCommand = ({ usage, description, arguments: names, options }: DescribedCommand): string[] => [
  `.SS ${escapeRoff(usage)}`,
  escapeRoff(description),
  ...names.flatMap((argument) => entry(argument.name, argument.description)),
  ...options.flatMap((option) => entry(option.flags, describeWithChoices(option))),
]

const describeWithChoices = ({ description, choices }: { description: string; choices: readonly string[] }) =>
  choices.length === 0 ? description : `${description} (${choices.join(', ')})`
