/** Each execution of an activity is a span, in the trace of the request that last started or signaled its workflow. */
import { CompleteAsyncError } from '@temporalio/activity'
import type { ActivityInterceptorsFactory } from '@temporalio/worker'
import { toIdAttribute } from './id-attribute.ts'
import { withSpan } from './spans.ts'
import { readTraceHeader } from './temporal-headers.ts'

export const traceActivity: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      const attributes = {
        ...toIdAttribute(info.workflowExecution?.workflowId),
        ...toIdAttribute(input.args[0]),
        'colophon.attempt': info.attempt,
      }
      const options = {
        kind: 'consumer',
        parent: readTraceHeader(input.headers) ?? null,
        attributes,
        isFailure: (error: unknown) => !(error instanceof CompleteAsyncError), // not an error: the gateway completes the activity
      } as const
      return withSpan(info.activityType, options, () => next(input))
    },
  },
})
