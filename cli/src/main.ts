/** `colophon <command>`: Colophon from a terminal or from CI. */
import { CommanderError } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { CommandContext } from './program/command-context.ts'
import { toFailure } from './program/failure.ts'
import { createProgram } from './program/program.ts'
import { printableBlock } from './terminal/printable.ts'
import { createTerminal } from './terminal/terminal.ts'

/** `colophon job list | head -1`: nobody reads the rest, which is not an error. */
function endQuietlyWhenPipeCloses(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(exitCodes.ok)
      throw error
    })
}

async function main(): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok
  const terminal = createTerminal(process.stdin, process.stdout, process.stderr, process.env)
  const context: CommandContext = {
    terminal,
    environment: process.env,
    stdin: process.stdin,
    setExitCode: (code) => {
      exitCode = code
    },
  }
  try {
    await createProgram(context).parseAsync(process.argv)
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return exitCodes.ok // help or version was printed
    const failure = toFailure(error)
    if (failure === undefined) throw error
    terminal.err.print(terminal.err.style.red(`colophon: ${printableBlock(failure.message)}`))
    return failure.exitCode
  }
}

endQuietlyWhenPipeCloses()
// Not with a top-level await, which the bundle of the single executable cannot have.
void main().then((exitCode) => {
  process.exitCode = exitCode
})
