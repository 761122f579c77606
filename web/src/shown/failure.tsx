import { ColophonError } from '@colophon/sdk'
import { Alert } from '@mantine/core'

/** What went wrong, in the server's words, which say what to do next. */
export const detailOf = (error: unknown): string =>
  error instanceof ColophonError ? error.detail : 'Something unexpected happened in this page. Load it again.'

export function Failure({ error, title = 'That did not work' }: { error: unknown; title?: string }) {
  if (!error) return null
  return (
    <Alert color="red" title={title} role="alert">
      {detailOf(error)}
    </Alert>
  )
}
