/**
 * Passes the context of a trace on to activities: that of the last signal that had one, or of the start. A header changes nothing that
 * a history is compared with, so workflows can be replayed with and without it.
 */
import type { Headers, WorkflowInterceptors } from '@temporalio/workflow'

const headerName = 'traceparent'

export function interceptors(): WorkflowInterceptors {
  let current: Headers[string] | undefined
  const keep = (headers: Headers) => {
    current = headers[headerName] ?? current
  }
  const withTrace = <Input extends { headers: Headers }>(input: Input): Input =>
    current ? { ...input, headers: { ...input.headers, [headerName]: current } } : input
  return {
    inbound: [
      {
        execute(input, next) {
          keep(input.headers)
          return next(input)
        },
        handleSignal(input, next) {
          keep(input.headers)
          return next(input)
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withTrace(input)),
        continueAsNew: (input, next) => next(withTrace(input)),
      },
    ],
  }
}
