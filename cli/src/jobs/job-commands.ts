/** `colophon job …` */
import { text as streamToText } from 'node:stream/consumers'
import type { CreateJobData, ListJobsData, SendMessageData } from '@colophon/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { connect } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import {
  addInstanceOptions,
  addJsonOption,
  choiceOption,
  type InstanceOptions,
  type JsonOption,
  parseCount,
  parseDurationSeconds,
  withoutUndefined,
} from '../program/command-options.ts'
import { usageError } from '../program/failure.ts'
import { printableBlock } from '../terminal/printable.ts'
import { formatDiff } from './format-diff.ts'
import { formatEvent, formatJob, formatJobTable, formatTime } from './format-job.ts'
import { openInBrowser } from './open-in-browser.ts'
import { untilInterrupted, type WaitSettings, waitForJob } from './wait-for-job.ts'

interface CommonOptions extends InstanceOptions, JsonOption {}

interface WaitOptions extends CommonOptions {
  quiet?: boolean
  timeout?: number
}

interface CreateOptions extends WaitOptions {
  wait?: boolean
  ref?: string
  model?: string
  title?: string
  topic?: string
  draft?: boolean
  publish?: CreateJobData['body']['publish']
  metadata?: Record<string, string>
  idempotencyKey?: string
}

const jobIdDescription = 'ID of the job'

export function addJobCommands(program: Command, context: CommandContext): void {
  const jobs = program
    .command('job')
    .summary('create jobs, follow them and read their results')
    .description(
      'A job is a prompt for an agent, which works on the repository of the project and ends with a pull request.',
    )
  addCreateCommand(jobs, context)
  addReadCommands(jobs, context)
  addChangeCommands(jobs, context)
}

const addWaitOptions = (command: Command): Command =>
  command
    .option('--timeout <duration>', 'stop waiting after this time, for example 90s, 30m or 2h', parseDurationSeconds)
    .option('-q, --quiet', 'do not show what the agent does')

const toWaitSettings = ({ json = false, quiet = false, timeout }: WaitOptions): WaitSettings => ({
  json,
  quiet,
  timeoutSeconds: timeout,
})

function parseMetadata(text: string, previous: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) throw new InvalidArgumentError('Write it as key=value.')
  return { ...previous, [key]: value }
}

async function readPrompt(prompt: string, { stdin }: CommandContext): Promise<string> {
  const text = prompt === '-' ? await streamToText(stdin) : prompt
  if (text.trim() === '') throw usageError('The prompt is empty.')
  return text
}

function addCreateCommand(jobs: Command, context: CommandContext): void {
  const create = jobs
    .command('create')
    .summary('create a job')
    .description('Creates a job. Prints its ID or, with --wait, its result.')
    .argument('<prompt>', 'task for the agent; - reads it from standard input')
    .option('--wait', 'wait until the job has ended, and show what the agent does')
    .option('--ref <branch>', 'branch to work from; defaults to the base branch of the repository')
    .option('--model <name>', 'model to use; defaults to the default model of the project')
    .option('--title <title>', 'title of the job and of its pull request; by default the agent chooses one')
    .option('--topic <name>', 'your name for a line of work: an open job with this topic gets the prompt as a message')
    .option('--draft', 'open the pull request as a draft')
    .addOption(
      choiceOption('--publish <how>', 'open a pull request (default), or only keep the diff', ['pull_request', 'diff']),
    )
    .option('--metadata <key=value>', 'your own key and value, returned unchanged; can be repeated', parseMetadata)
    .option('--idempotency-key <key>', 'your name for this request: repeated with it, no second job is created')
  addJsonOption(addInstanceOptions(addWaitOptions(create))).action(async (prompt: string, options: CreateOptions) => {
    const body: CreateJobData['body'] = {
      prompt: await readPrompt(prompt, context),
      ...withoutUndefined({
        ref: options.ref,
        model: options.model,
        title: options.title,
        topic: options.topic,
        draft: options.draft,
        publish: options.publish,
        metadata: options.metadata,
      }),
    }
    const connection = await connect(context, options)
    const projectId = await connection.projectId()
    const job = await connection.client.jobs.create(
      projectId,
      body,
      withoutUndefined({ idempotencyKey: options.idempotencyKey }),
    )
    const { out, err } = context.terminal
    if (options.wait) {
      err.print(`Created ${job.id}.`)
      await waitForJob(context, connection, job.id, toWaitSettings(options))
    } else if (options.json) out.printJson(job)
    else {
      out.print(job.id)
      err.print(err.style.dim(`Follow it: colophon job wait ${job.id}`))
    }
  })
}

interface ListOptions extends CommonOptions {
  status?: NonNullable<ListJobsData['query']>['status']
  outcome?: NonNullable<ListJobsData['query']>['outcome']
  search?: string
  limit: number
}

const statuses = ['active', 'completed', 'failed', 'archived']
const outcomes = ['pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error']

function addReadCommands(jobs: Command, context: CommandContext): void {
  const { out } = context.terminal
  const list = jobs
    .command('list')
    .summary('list jobs, newest first')
    .description('Lists the jobs of the project, newest first.')
    .addOption(choiceOption('--status <status>', 'only jobs with this status', statuses))
    .addOption(choiceOption('--outcome <outcome>', 'only jobs with this outcome', outcomes))
    .option('--search <text>', 'only jobs with this text in their title, ID or first prompt')
    .option('--limit <count>', 'maximum number of jobs', parseCount, 20)
  addJsonOption(addInstanceOptions(list)).action(
    async ({ status, outcome, search, limit, json, ...instance }: ListOptions) => {
      const { client, projectId } = await connect(context, instance)
      const query = withoutUndefined({ status, outcome, q: search, limit: Math.min(limit, maxPageSize) })
      const found = await takeItems(client.jobs.list(await projectId(), query), limit)
      if (json) out.printJson(found)
      else if (found.length === 0) context.terminal.err.print('There are no such jobs.')
      else out.print(formatJobTable(found, out))
    },
  )

  addJobIdCommand(jobs, 'show', 'show a job', 'Shows a job with its checks and the reply of the agent.').action(
    async (id: string, options: CommonOptions) => {
      const { client, projectId } = await connect(context, options)
      const job = await client.jobs.get(await projectId(), id)
      if (options.json) out.printJson(job)
      else out.print(formatJob(job, out.style))
    },
  )

  addWaitOptions(
    addJobIdCommand(
      jobs,
      'wait',
      'wait until a job has ended',
      'Waits until a job has ended, shows what the agent does, and exits with the result of the job.',
    ),
  ).action(async (id: string, options: WaitOptions) => {
    await waitForJob(context, await connect(context, options), id, toWaitSettings(options))
  })

  addJobIdCommand(
    jobs,
    'diff',
    'print the changes of a job',
    'Prints the changes of a job in the format of `git diff`: colored on a terminal, unchanged in a pipe, so that `git apply` can read it.',
  )
    .option('--printable', 'replace control characters and CI commands, for the log of a CI job')
    .action(async (id: string, options: CommonOptions & { printable?: boolean }) => {
      const { client, projectId } = await connect(context, options)
      const result = await client.jobs.diff(await projectId(), id)
      if (options.json) out.printJson(result)
      else if (result.diff === null) context.terminal.err.print('The job has not changed any file.')
      else if (out.isTerminal || options.printable) out.print(formatDiff(result.diff, out))
      else await out.writeRaw(result.diff)
    })

  addLogsCommand(jobs, context)

  addJobIdCommand(
    jobs,
    'open',
    'open the pull request of a job in a browser',
    'Opens the pull request of a job in a browser or, if it has none, its page on the dashboard. Prints the URL.',
  )
    .option('--dashboard', 'open the page on the dashboard, even if there is a pull request')
    .action(async (id: string, options: CommonOptions & { dashboard?: boolean }) => {
      const { client, projectId, url } = await connect(context, options)
      const project = await projectId()
      const job = await client.jobs.get(project, id)
      const page = `${url}/projects/${encodeURIComponent(project)}/jobs/${encodeURIComponent(job.id)}`
      const target = options.dashboard ? page : (job.pullRequest?.url ?? page)
      if (options.json) out.printJson({ url: target })
      else out.print(printableBlock(target))
      if (out.isTerminal && !(await openInBrowser(target, context.environment)))
        context.terminal.err.print('No browser was found: open the URL yourself.')
    })
}

const maxPageSize = 100

async function takeItems<Item>(items: AsyncIterable<Item>, limit: number): Promise<Item[]> {
  const taken: Item[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= limit) break
  }
  return taken
}

const addJobIdCommand = (jobs: Command, name: string, summary: string, description: string): Command =>
  addJsonOption(
    addInstanceOptions(
      jobs.command(name).summary(summary).description(description).argument('<job>', jobIdDescription),
    ),
  )

interface LogsOptions extends CommonOptions {
  follow?: boolean
  after?: string
  full?: boolean
}

function addLogsCommand(jobs: Command, context: CommandContext): void {
  const { out } = context.terminal
  addJobIdCommand(
    jobs,
    'logs',
    'print what the agent did',
    'Prints what the agent did, oldest first. With --json, one JSON object per line.',
  )
    .option('-f, --follow', 'continue with what the agent does now, until the job has ended')
    .option('--after <event>', 'only what came after the event with this ID')
    .option('--full', 'complete inputs and outputs of tools')
    .action(async (id: string, { json, follow, after, full = false, ...instance }: LogsOptions) => {
      const { client, projectId } = await connect(context, instance)
      const project = await projectId()
      await untilInterrupted(id, undefined, async (signal) => {
        const events = follow
          ? client.jobs.follow(project, id, { after, signal })
          : client.jobs.events(project, id, withoutUndefined({ after }), { signal })
        for await (const event of events) {
          if (json) {
            out.printJsonLine(event)
            continue
          }
          const text = formatEvent(event, out.style, { isComplete: full })
          if (text !== undefined) out.print(`${out.style.dim(formatTime(event.at))}  ${text}`)
        }
      })
    })
}

interface MessageOptions extends WaitOptions {
  wait?: boolean
  failedCheck?: string
  resolveConflicts?: boolean
  idempotencyKey?: string
}

function addChangeCommands(jobs: Command, context: CommandContext): void {
  const message = jobs
    .command('message')
    .summary('send a follow-up message to a job')
    .description('Sends a follow-up message to a job. A job that has ended becomes active again.')
    .argument('<job>', jobIdDescription)
    .argument('<prompt>', 'task for the agent; - reads it from standard input')
    .option('--wait', 'wait until the job has ended, and show what the agent does')
    .option('--failed-check <name>', 'a failed CI check of the pull request, whose log the agent gets')
    .option('--resolve-conflicts', 'merge the base branch first, so that the agent resolves the conflicts')
    .option('--idempotency-key <key>', 'your name for this request: repeated with it, no second message is sent')
  addJsonOption(addInstanceOptions(addWaitOptions(message))).action(
    async (id: string, prompt: string, options: MessageOptions) => {
      const body: SendMessageData['body'] = {
        prompt: await readPrompt(prompt, context),
        ...withoutUndefined({ failedCheck: options.failedCheck, resolveConflicts: options.resolveConflicts }),
      }
      const connection = await connect(context, options)
      const { jobs: calls } = connection.client
      const projectId = await connection.projectId()
      const after = options.wait ? await findLastEventId(calls.events(projectId, id)) : undefined
      const job = await calls.sendMessage(
        projectId,
        id,
        body,
        withoutUndefined({ idempotencyKey: options.idempotencyKey }),
      )
      if (options.wait) await waitForJob(context, connection, id, { ...toWaitSettings(options), after })
      else if (options.json) context.terminal.out.printJson(job)
      else context.terminal.out.print(`Sent to ${job.id}, which is ${job.status}.`)
    },
  )

  addJobIdCommand(jobs, 'cancel', 'stop an active job', 'Stops an active job.').action(
    async (id: string, options: CommonOptions) => {
      const { client, projectId } = await connect(context, options)
      const job = await client.jobs.cancel(await projectId(), id)
      if (options.json) context.terminal.out.printJson(job)
      else
        context.terminal.out.print(
          job.pendingStop === null ? `${job.id} is cancelled.` : `${job.id} stops within seconds.`,
        )
    },
  )

  addJobIdCommand(
    jobs,
    'archive',
    'archive a job for good',
    'Archives a job for good: it accepts no more messages. Its pull request is not changed.',
  ).action(async (id: string, options: CommonOptions) => {
    const { client, projectId } = await connect(context, options)
    const job = await client.jobs.archive(await projectId(), id)
    if (options.json) context.terminal.out.printJson(job)
    else
      context.terminal.out.print(
        job.pendingStop === null ? `${job.id} is archived.` : `${job.id} is archived when its turn has stopped.`,
      )
  })
}

/** So that only what follows a message is shown. */
async function findLastEventId(events: AsyncIterable<{ id: string }>): Promise<string | undefined> {
  let last: string | undefined
  for await (const { id } of events) last = id
  return last
}
