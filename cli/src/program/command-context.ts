/** What every command gets from its process. */
import type { ExitCode } from '../exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface CommandContext {
  terminal: Terminal
  environment: Environment
  stdin: NodeJS.ReadStream
  /** Of a command that ended as intended, although not with success: for example because the job failed. */
  setExitCode(exitCode: ExitCode): void
}
