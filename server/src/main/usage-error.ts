/** A mistake in the command line. The message says what is wrong. */
export class UsageError extends Error {
  /** The command whose `--help` explains what is expected, for example `colophon-server admin key create`. */
  command: string | undefined
}
