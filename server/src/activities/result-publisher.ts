/**
 * Turns a runner's result into a pull request. Errors of the code host are retried; as every step is idempotent, a retry starts
 * from the beginning.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/activity'
import { BareRepository } from '../code-hosts/bare-repository.ts'
import { CodeHostError } from '../code-hosts/code-host-error.ts'
import { removeAbandonedRepositories } from '../code-hosts/git/git-repository.ts'
import type { CurrentTurn } from '../jobs/turn-store.ts'
import type { Egress } from '../platform/egress/egress.ts'
import type { LabelsOf } from '../platform/metrics/catalog.ts'
import { countMetric, observeMetric } from '../platform/metrics/metrics.ts'
import { SemaphoreFullError } from '../platform/semaphore.ts'
import { withSpan } from '../platform/tracing/spans.ts'
import { createFinalFailure } from './create-final-failure.ts'
import type { ResultPublisher } from './job-activities.ts'
import type { OpenedProjectRepository, ProjectRepositoryOpener } from './project-repository-opener.ts'
import type { PublishSlots } from './publish-slots.ts'
import { endWith, type PublishEnd, paused } from './publish-step-result.ts'
import {
  acceptResult,
  checkCommitWasNoticed,
  chooseBranch,
  deleteBranchWithoutPullRequest,
  ensurePullRequest,
  holdForApproval,
  type PublishStepDeps,
  putCommit,
  readResult,
  rewritePullRequestText,
} from './publish-steps.ts'
import { renderPullRequestTexts } from './pull-request-texts.ts'

export interface ResultPublisherDeps extends PublishStepDeps {
  openProject: ProjectRepositoryOpener
  egress: Egress
  /** They cover single attempts, so that a result that backs off does not block others. */
  slots: PublishSlots
}

/**
 * Waits between attempts after an error that looks final, and after a branch or pull request was not found. Both count only if they
 * persist: while its own database is down, a code host may reject our token, or hide what only some may see (Gitea does, tried).
 */
const backoffsSeconds = [1, 5, 20]

/** A code host that sends a byte from time to time must not keep a slot. */
const publishDeadlineMs = 240_000

/** With this, results that find no slot come back at different times. */
const slotRetryMs = { min: 3_000, max: 8_000 }

export function createResultPublisher(deps: ResultPublisherDeps): ResultPublisher {
  void removeAbandonedRepositories().catch(() => {}) // left by a killed worker; they do no harm
  return async (turn, signal) => {
    const startedAtMs = performance.now()
    const target: PublishTarget = { host: undefined }
    const observe = (result: 'published' | 'failed') => {
      const seconds = (performance.now() - startedAtMs) / 1000
      if (target.host) observeMetric('colophon_publish_duration_seconds', { host: target.host, result }, seconds)
    }
    try {
      const end = await publishWithRetries(deps, turn, signal, target)
      if (end.kind === 'ended') observe('published')
      return end
    } catch (error) {
      observe('failed')
      throw error
    }
  }
}

/** What is published to, for metrics. Undefined: not known yet. */
interface PublishTarget {
  host: LabelsOf<'colophon_publish_failures_total'>['host'] | undefined
}

async function publishWithRetries(
  deps: ResultPublisherDeps,
  turn: CurrentTurn,
  signal: AbortSignal,
  target: PublishTarget,
): Promise<PublishEnd> {
  for (let attempt = 1; ; attempt++) {
    const backoffSeconds = backoffsSeconds[attempt - 1]
    const isLastAttempt = backoffSeconds === undefined
    try {
      const end = await publishInSlot(deps, turn, signal, { isLastAttempt, target })
      if (end.kind !== 'branch_moved' || end.isCertain || isLastAttempt) return end
      deps.log.info({ turnId: turn.turnId, attempt }, 'branch or pull request not found')
      await sleep(backoffSeconds * 1000, undefined, { signal })
    } catch (error) {
      if (error instanceof SemaphoreFullError) throw createSlotFailure()
      if (!(error instanceof CodeHostError)) throw error
      if (target.host) countMetric('colophon_publish_failures_total', { host: target.host, reason: error.failure.code })
      deps.log.warn({ turnId: turn.turnId, attempt, error: error.message }, 'publishing to the code host failed')
      if (await deps.turns.isPaused(turn.projectId)) return paused
      if (error.failure.kind === 'retry' || backoffSeconds === undefined) throw toFailure(error.failure)
      await sleep(backoffSeconds * 1000, undefined, { signal })
    }
  }
}

async function publishInSlot(
  deps: ResultPublisherDeps,
  turn: CurrentTurn,
  turnSignal: AbortSignal,
  { target: published, ...options }: { isLastAttempt: boolean; target: PublishTarget },
): Promise<PublishEnd> {
  const deadline = new AbortController()
  const signal = AbortSignal.any([turnSignal, deadline.signal])
  const project = await deps.openProject(turn.projectId, signal)
  published.host = project?.repository.host
  const target = { projectId: turn.projectId, host: project?.repository.baseUrl ?? '' }
  return deps.slots.run(target, async () => {
    signal.throwIfAborted() // the lease was lost, or the turn cancelled, while it waited
    const timer = setTimeout(() => deadline.abort(createDeadlineError()), publishDeadlineMs)
    try {
      return await publish(deps, turn, project, signal, options)
    } finally {
      clearTimeout(timer)
    }
  })
}

const createDeadlineError = () =>
  new CodeHostError(
    { kind: 'retry', code: 'unreachable' },
    `The code host was too slow: publishing took longer than ${publishDeadlineMs / 1000} s.`,
  )

async function publish(
  deps: ResultPublisherDeps,
  { turnId, jobId }: CurrentTurn,
  project: OpenedProjectRepository | undefined,
  signal: AbortSignal,
  { isLastAttempt }: { isLastAttempt: boolean },
): Promise<PublishEnd> {
  const read = await readResult(deps, turnId)
  if (read.kind !== 'continue') return read
  const result = read.value
  if (!project) throw createFinalFailure('project_not_ready')
  const { repository, host } = project
  const turn = await deps.turns.readTurnToPublish(turnId)
  const inStep = <Result>(name: string, step: () => Promise<Result>) =>
    withSpan(name, { attributes: { 'colophon.code_host': repository.host } }, step)
  await using bare = await inStep('fetch repository', async () =>
    BareRepository.open({ remote: await host.gitRemote(), egress: deps.egress, signal }),
  )
  const publication = { turn, result, repository, host, bare }

  const accepted = await inStep('check result', () => acceptResult(deps, publication))
  if (accepted.kind !== 'continue') return accepted
  const { newHosts } = accepted.value
  if (turn.job.publish === 'diff')
    return endWith(result, { outcome: 'diff', diff: (await bare.diff(accepted.value)).patch, newHosts })
  const held = await holdForApproval(deps, publication, accepted.value)
  if (held.kind !== 'continue') return held

  const existingBranch = await chooseBranch(deps, publication)
  if (existingBranch.kind !== 'continue') return existingBranch
  const firstBase = accepted.value.merge?.commit ?? (await deps.turns.findFirstBase(jobId, existingBranch.value))
  const { patch: diff } = await bare.diff(accepted.value, firstBase)
  const texts = renderPullRequestTexts(turn, { ...result, newHosts }, repository.publishing)
  const branch = existingBranch.value ?? texts.branch
  const change = { accepted: accepted.value, branch, texts }

  const put = await inStep('push commit', () => putCommit(deps, publication, change))
  if (put.kind !== 'continue') return put
  const ensured = await inStep('open pull request', () =>
    ensurePullRequest(deps, publication, change, put.value),
  ).catch(async (error: unknown) => {
    if (isLastAttempt) await deleteBranchWithoutPullRequest(error, publication, change, put.value)
    throw error
  })
  if (ensured.kind !== 'continue') return ensured
  const pullRequest = ensured.value
  const noticed = await checkCommitWasNoticed(publication, change, put.value, pullRequest)
  if (noticed.kind !== 'continue') return noticed
  const rewritten = await rewritePullRequestText(deps, publication, change, pullRequest)
  if (rewritten.kind !== 'continue') return rewritten

  const { url, number, state } = pullRequest
  const written = { title: texts.title, body: texts.body }
  return endWith(result, {
    outcome: 'pull_request',
    diff,
    newHosts,
    pullRequest: { url, number, state, branch, written, commit: put.value.published },
  })
}

/** Waits outside of the activity, which has a time limit and takes one of the worker's slots for activities. */
const createSlotFailure = () =>
  ApplicationFailure.create({
    message: 'publish_timeout',
    type: 'publish_timeout',
    nextRetryDelay: slotRetryMs.min + Math.random() * (slotRetryMs.max - slotRetryMs.min),
  })

/** Temporal does not retry at all if the delay ends after the publish timeout. A retry that is too early is limited again. */
const maxRetryDelaySeconds = 300

/** Only the code: Temporal stores the message, and a message from a code host may contain anything. */
function toFailure(failure: CodeHostError['failure']): ApplicationFailure {
  if (failure.kind === 'final') return createFinalFailure('code_host_access_denied')
  return ApplicationFailure.create({
    message: 'publish_timeout',
    type: 'publish_timeout',
    ...(failure.retryAfterSeconds !== undefined && {
      nextRetryDelay: Math.min(failure.retryAfterSeconds, maxRetryDelaySeconds) * 1000,
    }),
  })
}
