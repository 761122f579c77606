/** Shell completion, made from the declared commands. The scripts only complete names, and call nothing. */
import { type DescribedCommand, flattenCommands } from './command-tree.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function formatCompletionScript(shell: Shell, program: DescribedCommand): string {
  const commands = flattenCommands(program)
  if (shell === 'bash') return formatBash(commands)
  return shell === 'zsh' ? formatZsh(commands) : formatFish(commands)
}

/** For single quotes in bash and zsh. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const namesOf = ({ subcommands, options }: DescribedCommand): string[] => [
  ...subcommands.map(({ name }) => name),
  ...options.map(({ long }) => long),
]

const subcommandPaths = (commands: readonly DescribedCommand[]): string =>
  commands
    .slice(1)
    .map(({ path }) => quote(path))
    .join(' | ')

const formatBash = (commands: readonly DescribedCommand[]): string => `# bash completion for colophon
_colophon() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=colophon names='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command \${COMP_WORDS[index]}" in
      ${subcommandPaths(commands)}) command="$command \${COMP_WORDS[index]}" ;;
    esac
  done
  case "$command $previous" in
${valueCases(commands, (choices) => `names=${quote(choices.join(' '))}`)}
    *)
      case "$command" in
${commands.map((command) => `        ${quote(command.path)}) names=${quote(namesOf(command).join(' '))} ;;`).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -o default -F _colophon colophon
`

/** What follows an option that takes a value: its choices, or anything. */
function valueCases(commands: readonly DescribedCommand[], toAction: (choices: readonly string[]) => string): string {
  const cases = commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ long, choices }) => `    ${quote(`${path} ${long}`)}) ${toAction(choices)} ;;`),
  )
  return cases.join('\n')
}

const describeItem = (name: string, description: string) => quote(`${name}:${description.replaceAll(':', '\\:')}`)

const formatZsh = (commands: readonly DescribedCommand[]): string => `#compdef colophon
_colophon() {
  local command=colophon word
  local -a items
  for word in \${words[2,CURRENT-1]}; do
    case "$command $word" in
      ${subcommandPaths(commands)}) command="$command $word" ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${valueCases(commands, (choices) => `items=(${choices.map(quote).join(' ')})`)}
    *)
      case "$command" in
${commands
  .map(({ path, subcommands, options }) => {
    const items = [
      ...subcommands.map(({ name, summary }) => describeItem(name, summary)),
      ...options.map(({ long, description }) => describeItem(long, description)),
    ]
    return `        ${quote(path)}) items=(${items.join(' ')}) ;;`
  })
  .join('\n')}
      esac
      ;;
  esac
  _describe colophon items || _files
}
if [ "$funcstack[1]" = _colophon ]; then _colophon "$@"; else compdef _colophon colophon; fi
`

/** Fish knows only these two escapes between single quotes. */
const quoteForFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const formatFish = (commands: readonly DescribedCommand[]): string => `# fish completion for colophon
function __colophon_command
    set -l command colophon
    for word in (commandline -opc)[2..]
        switch "$command $word"
            case ${commands
              .slice(1)
              .map(({ path }) => quoteForFish(path))
              .join(' ')}
                set command "$command $word"
        end
    end
    test "$command" = "$argv"
end
${commands.flatMap(formatFishCommand).join('\n')}
`

function formatFishCommand({ path, subcommands, options }: DescribedCommand): string[] {
  const start = `complete -c colophon -n ${quoteForFish(`__colophon_command ${path}`)}`
  return [
    ...subcommands.map(({ name, summary }) => `${start} -f -a ${name} -d ${quoteForFish(summary)}`),
    ...options.map(({ long, short, takesValue, choices, description }) => {
      const words = [start, '-l', long.replace(/^--/, '')]
      if (short !== undefined) words.push('-s', short.replace(/^-/, ''))
      if (choices.length > 0) words.push('-x', '-a', quoteForFish(choices.join(' ')))
      else if (takesValue) words.push('-r')
      words.push('-d', quoteForFish(description))
      return words.join(' ')
    }),
  ]
}
