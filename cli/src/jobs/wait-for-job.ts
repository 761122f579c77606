/** Waits for a job, shows what it does, and ends with the exit code of its result. */
import type { AgentJob } from '@colophon/sdk'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Connection } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import { CommandFailure } from '../program/failure.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatResult } from './format-job.ts'
import { startProgressDisplay } from './show-progress.ts'

export interface WaitSettings {
  json: boolean
  quiet: boolean
  timeoutSeconds: number | undefined
  /** Shows only later events. */
  after?: string | undefined
}

export async function waitForJob(
  context: CommandContext,
  { client, projectId }: Connection,
  jobId: string,
  { json, quiet, timeoutSeconds, after }: WaitSettings,
): Promise<void> {
  const { terminal } = context
  const project = await projectId()
  const display = quiet ? undefined : startProgressDisplay(jobId, terminal.err)
  const job = await untilInterrupted(jobId, timeoutSeconds, (signal) =>
    client.jobs.wait(project, jobId, {
      signal,
      after,
      onProgress: ({ event }) => event && display?.show(event),
    }),
  ).finally(() => display?.end())
  printEndedJob(terminal, job, json)
  context.setExitCode(exitCodeOf(job))
}

export function printEndedJob({ out }: Terminal, job: AgentJob, json: boolean): void {
  if (json) out.printJson(job)
  else out.print(formatResult(job, out.style))
}

const exitCodeOf = ({ status, outcome }: AgentJob): ExitCode => {
  if (outcome === 'cancelled') return exitCodes.jobCancelled
  return status === 'failed' ? exitCodes.jobFailed : exitCodes.ok
}

/** Ctrl-C and the timeout end the work with a message that says that the job goes on. */
export async function untilInterrupted<Result>(
  jobId: string,
  timeoutSeconds: number | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const end = (exitCode: ExitCode, reason: string) =>
    stop.abort(
      new CommandFailure(
        exitCode,
        `${reason} The job goes on.\nFollow it again: colophon job wait ${jobId}\nStop it:         colophon job cancel ${jobId}`,
      ),
    )
  const onInterrupt = () => end(exitCodes.interrupted, 'Interrupted.')
  const timer =
    timeoutSeconds === undefined
      ? undefined
      : setTimeout(end, timeoutSeconds * 1000, exitCodes.timeout, `Not within ${timeoutSeconds} seconds.`)
  process.once('SIGINT', onInterrupt)
  process.once('SIGTERM', onInterrupt)
  try {
    return await work(stop.signal)
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onInterrupt)
  }
}
