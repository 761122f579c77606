/** `colophon completion` and `colophon man`. */
import { Argument, type Command } from 'commander'
import type { CommandContext } from '../program/command-context.ts'
import { version } from '../program/version.ts'
import { describeCommand } from './command-tree.ts'
import { formatCompletionScript, type Shell, shells } from './completion-scripts.ts'
import { formatManPage } from './man-page.ts'

export function addReferenceCommands(program: Command, { terminal }: CommandContext): void {
  program
    .command('completion')
    .summary('print a script for shell completion')
    .description(
      'Prints a script for shell completion. bash: source <(colophon completion bash). zsh: write it to a file _colophon in a ' +
        'directory of $fpath. fish: write it to ~/.config/fish/completions/colophon.fish.',
    )
    .addArgument(new Argument('<shell>', 'your shell').choices(shells))
    .action((shell: Shell) => terminal.out.writeRaw(formatCompletionScript(shell, describeCommand(program))))

  program
    .command('man')
    .summary('print the man page')
    .description('Prints the man page. Read it with: colophon man | man -l -')
    .action(() => terminal.out.writeRaw(formatManPage(describeCommand(program), version)))
}
