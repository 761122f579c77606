/** Ends a command with a message and an exit code. */
import { isColophonError } from '@colophon/sdk'
import { type ExitCode, exitCodes } from '../exit-codes.ts'

export class CommandFailure extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A mistake in the command line. Nothing was done. */
export const usageError = (message: string) => new CommandFailure(exitCodes.usage, message)

const authenticationCodes = new Set(['unauthenticated', 'insufficient_scope', 'ip_not_allowed'])
const noResponseCodes = new Set(['no_response', 'timeout', 'unexpected_response'])

/** Undefined if the error is a bug of this program, whose stack people should see. */
export function toFailure(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error
  if (!isColophonError(error)) return undefined
  const { code, detail, errors, requestId } = error
  const lines = [detail, ...errors.map(({ path, message }) => `  ${path} ${message}`)]
  if (requestId !== undefined) lines.push(`(${code}, ${requestId})`)
  const message = lines.join('\n')
  if (code === 'unauthenticated')
    return new CommandFailure(exitCodes.notAuthenticated, `${message}\nRun 'colophon login' to store another API key.`)
  if (authenticationCodes.has(code)) return new CommandFailure(exitCodes.notAuthenticated, message)
  if (noResponseCodes.has(code))
    return new CommandFailure(exitCodes.unreachable, `${message}\nRun 'colophon doctor' to find out why.`)
  return new CommandFailure(exitCodes.failed, message)
}
