/** The exit codes of every command. Help, README and man page show this table. */
export const exitCodeTable = [
  { name: 'ok', code: 0, meaning: 'success' },
  { name: 'failed', code: 1, meaning: 'the instance rejected the request, or a check of `status` or `doctor` failed' },
  { name: 'usage', code: 2, meaning: 'usage error: nothing was done' },
  { name: 'notAuthenticated', code: 3, meaning: 'no API key, or one that is invalid or lacks a scope' },
  { name: 'unreachable', code: 4, meaning: 'the instance did not respond, or something else responds at its URL' },
  { name: 'jobFailed', code: 5, meaning: 'the job failed' },
  { name: 'jobCancelled', code: 6, meaning: 'the job was cancelled' },
  { name: 'timeout', code: 7, meaning: 'the time of --timeout is over; the job goes on' },
  { name: 'interrupted', code: 130, meaning: 'interrupted with Ctrl-C; a job goes on' },
] as const satisfies readonly { name: string; code: number; meaning: string }[]

export type ExitCode = (typeof exitCodeTable)[number]['code']

export const exitCodes = Object.fromEntries(exitCodeTable.map(({ name, code }) => [name, code])) as {
  readonly [Entry in (typeof exitCodeTable)[number] as Entry['name']]: Entry['code']
}
