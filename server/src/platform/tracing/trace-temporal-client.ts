/** Calls that start or signal a workflow are spans, and the workflow's activities belong to the same trace. */
import type { WorkflowClientInterceptor } from '@temporalio/client'
import type { Headers } from '@temporalio/common'
import { toIdAttribute } from './id-attribute.ts'
import { currentTraceparent, withSpan } from './spans.ts'
import { addTraceHeader } from './temporal-headers.ts'

/** What the process does by itself, like waking a job whose signal was lost, is not traced: the workflow stays in the trace that it has. */
export const traceTemporalClient: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => traceCall(`start ${input.workflowType}`, input.options.workflowId, input, next),
  signalWithStart: (input, next) => traceCall(`signal ${input.workflowType}`, input.options.workflowId, input, next),
}

async function traceCall<Input extends { headers: Headers }, Output>(
  name: string,
  workflowId: string,
  input: Input,
  next: (input: Input) => Promise<Output>,
): Promise<Output> {
  if (currentTraceparent() === undefined) return next(input)
  const options = { kind: 'client', attributes: toIdAttribute(workflowId) } as const
  return withSpan(name, options, () => next(addTraceHeader(input)))
}
