import { ColophonError } from '@colophon/sdk'
import { Alert } from '@mantine/core'

/** An error of the browser, with a message that says what to do next. */
export class ExplainedError extends Error {}

/** The server's description of the error, which says what to do next. */
export function toErrorDetail(error: unknown): string {
  if (error instanceof ColophonError) return error.detail
  if (error instanceof ExplainedError) return error.message
  return 'An unexpected error occurred on this page. Reload it and try again.'
}

export function ErrorAlert({ error, title = 'Something went wrong' }: { error: unknown; title?: string }) {
  if (!error) return null
  return (
    <Alert color="red" title={title} role="alert">
      {toErrorDetail(error)}
    </Alert>
  )
}
