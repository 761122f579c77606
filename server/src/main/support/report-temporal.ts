import type { Connection } from '@temporalio/client'
import { jobTaskQueue } from '../../jobs/job-signaler.ts'
import { type Report, readOrExplain } from './report.ts'

const timeoutMs = 5_000
const workflowQueue = 1 // TASK_QUEUE_TYPE_WORKFLOW
const activityQueue = 2 // TASK_QUEUE_TYPE_ACTIVITY

export async function reportTemporal(connection: Connection, namespace: string): Promise<Report> {
  const call = <Value>(read: () => Promise<Value>) =>
    readOrExplain(() => connection.withDeadline(Date.now() + timeoutMs, read))
  const { workflowService } = connection
  const pollers = (taskQueueType: number) =>
    call(async () => {
      const queue = await workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: jobTaskQueue },
        taskQueueType,
      })
      return queue.pollers?.length ?? 0
    })
  const [serverVersion, openWorkflows, workflowPollers, activityPollers] = await Promise.all([
    call(async () => (await workflowService.getSystemInfo({})).serverVersion),
    call(async () => {
      const { count } = await workflowService.countWorkflowExecutions({
        namespace,
        query: 'ExecutionStatus = "Running"',
      })
      return Number(count)
    }),
    pollers(workflowQueue),
    pollers(activityQueue),
  ])
  return { serverVersion, openWorkflows, workflowPollers, activityPollers }
}
