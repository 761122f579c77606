/**
 * Deletes what belongs to deleted projects, step by step. A step that fails is repeated, and no step depends on what a process remembers:
 * any worker can continue. The webhook is removed as long as the code host can be expected to come back; the rest does not wait for it.
 */
import type { Client, Connection } from '@temporalio/client'
import { isGrpcServiceError } from '@temporalio/client'
import { type BackgroundTask, startBackgroundTask } from '../platform/background-task.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { ProjectDeletion, ProjectDeletionStore } from '../project-deletion/project-deletion-store.ts'
import type { ProjectRepositoryOpener } from './project-repository-opener.ts'

const intervalMs = 1_000
/** Renewed while a worker is at work. Two workers on one deletion do no harm. */
const leaseSeconds = 10
const renewEveryMs = 3_000
const maxConcurrent = 4

export interface ProjectDeleterLimits {
  /** How long the code host may be down before the deletion is completed without it. */
  maxWebhookSeconds: number
  /** How long jobs wait for their model calls. A gateway settles a call within seconds of a stop, unless it was killed. */
  maxCallSeconds: number
}

export const defaultProjectDeleterLimits: ProjectDeleterLimits = { maxWebhookSeconds: 3_600, maxCallSeconds: 30 }

const webhookTimeoutMs = 20_000
/** Of a job, thousands of rows may be deleted with it, in one statement. */
const jobsPerBatch = 20
const maxBatchesPerRound = 50
const rowsPerBatch = 5_000
const temporalTimeoutMs = 5_000
/** The code of gRPC. */
const notFound = 5

export interface ProjectDeleterDeps {
  deletions: ProjectDeletionStore
  /** Opens the repository of a deleted project. */
  openDeletedProject: ProjectRepositoryOpener
  temporal: { client: Client; connection: Connection; namespace: string }
  /** True: all views of the project are deleted. */
  deleteViews(projectId: Id<'prj'>, stopping: AbortSignal): Promise<boolean>
  log: Log
  limits?: ProjectDeleterLimits
}

export function startProjectDeleter(deps: ProjectDeleterDeps): BackgroundTask {
  const { deletions, log, limits = defaultProjectDeleterLimits } = deps
  return startBackgroundTask({
    async round(stopping) {
      const work = async () => {
        while (!stopping.aborted) {
          const deletion = await deletions.lease(leaseSeconds)
          if (!deletion) return
          const renewal = setInterval(() => deletions.renew(deletion, leaseSeconds).catch(() => {}), renewEveryMs)
          await continueDeletion(deps, deletion, limits, stopping)
            .catch((error: unknown) =>
              log.warn(
                { projectId: deletion.projectId, error: String(error) },
                'could not delete a project, will retry',
              ),
            )
            .finally(() => clearInterval(renewal))
          await deletions.renew(deletion, computeRetrySeconds(deletion))
        }
      }
      await Promise.all(Array.from({ length: maxConcurrent }, work)) // a silent code host does not delay the others
    },
    intervalMs,
    failureMessage: 'could not delete projects, will retry',
    log,
  })
}

/** The longer a deletion waits for a service or a code host, the less often it is continued. */
const computeRetrySeconds = ({ ageSeconds }: ProjectDeletion) => Math.min(15, Math.max(1, ageSeconds / 20))

async function continueDeletion(
  deps: ProjectDeleterDeps,
  deletion: ProjectDeletion,
  limits: ProjectDeleterLimits,
  stopping: AbortSignal,
): Promise<void> {
  const { deletions, deleteViews, log } = deps
  const { projectId } = deletion
  const steps: Record<string, () => Promise<boolean>> = {
    jobs: () => deleteJobs(deps, deletion, limits, stopping),
    views: async () => {
      if (deletion.areViewsDeleted) return true
      if (!(await deleteViews(projectId, stopping))) return false
      await deletions.recordViewsDeleted(deletion)
      return true
    },
    rows: async () => (await deletions.deleteRows(deletion, rowsPerBatch)) === 0,
    webhook: () => removeWebhook(deps, deletion, limits),
  }
  let isComplete = true
  for (const [step, run] of Object.entries(steps)) {
    const isDone = await run().catch((error: unknown) => {
      log.warn({ projectId, step, error: String(error) }, 'a step of deleting a project failed, will retry')
      return false
    })
    isComplete &&= isDone
  }
  if (!isComplete || stopping.aborted) return
  await deletions.complete(deletion)
  log.info({ projectId }, 'deleted a project')
}

/** Colophon's own branches and pull requests stay: they belong to the repository. */
async function removeWebhook(
  { deletions, openDeletedProject }: ProjectDeleterDeps,
  deletion: ProjectDeletion,
  { maxWebhookSeconds }: ProjectDeleterLimits,
): Promise<boolean> {
  if (deletion.webhook !== 'pending') return true
  const { projectId } = deletion
  let repository = ''
  try {
    const project = await openDeletedProject(projectId, AbortSignal.timeout(webhookTimeoutMs))
    if (project) {
      const { baseUrl, owner, name } = project.repository
      repository = `${baseUrl}/${owner}/${name}`
    }
    const removed = await project?.host.removeWebhooks(`/v1/webhooks/${projectId}`)
    await deletions.recordWebhook(deletion, removed === 'not_permitted' ? 'left' : 'removed', repository)
    return true
  } catch (error) {
    if (deletion.ageSeconds < maxWebhookSeconds) throw error
    await deletions.recordWebhook(deletion, 'left', repository)
    return true
  }
}

async function deleteJobs(
  { deletions, temporal }: ProjectDeleterDeps,
  deletion: ProjectDeletion,
  { maxCallSeconds }: ProjectDeleterLimits,
  stopping: AbortSignal,
): Promise<boolean> {
  const withCallsInProgress = deletion.ageSeconds > maxCallSeconds
  for (let batch = 0; batch < maxBatchesPerRound && !stopping.aborted; batch++) {
    const jobIds = await deletions.listJobs(deletion, { limit: jobsPerBatch, withCallsInProgress })
    if (jobIds.length === 0) break
    await Promise.all(jobIds.map((jobId) => deleteWorkflow(temporal, jobId)))
    await deletions.deleteJobs(deletion, jobIds)
  }
  return !(await deletions.hasJobs(deletion))
}

/** Ends it if it is running. One that is started again finds no job, and ends. */
async function deleteWorkflow(
  { client, connection, namespace }: ProjectDeleterDeps['temporal'],
  workflowId: string,
): Promise<void> {
  const request = { namespace, workflowExecution: { workflowId } }
  try {
    await connection.withDeadline(Date.now() + temporalTimeoutMs, () =>
      client.workflowService.deleteWorkflowExecution(request),
    )
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== notFound) throw error
  }
}
