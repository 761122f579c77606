import { ColophonError } from '@colophon/sdk'
import { Alert } from '@mantine/core'

/** The server's description of the error, which says what to do next. */
export const toErrorDetail = (error: unknown): string =>
  error instanceof ColophonError ? error.detail : 'An unexpected error occurred on this page. Reload it and try again.'

export function ErrorAlert({ error, title = 'Something went wrong' }: { error: unknown; title?: string }) {
  if (!error) return null
  return (
    <Alert color="red" title={title} role="alert">
      {toErrorDetail(error)}
    </Alert>
  )
}
