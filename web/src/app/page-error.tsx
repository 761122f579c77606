import { ColophonError } from '@colophon/sdk'
import { Alert, Button, Container } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'

/** Shown instead of a page that failed to load: the server's error detail, and a button to retry. */
export function PageError({ error, reset }: Partial<ErrorComponentProps> & { error: unknown }) {
  const detail = error instanceof ColophonError ? error.detail : 'An unexpected error occurred on this page.'
  return (
    <Container size="sm" py="xl">
      <Alert color="red" title="This page could not be loaded" role="alert">
        {detail}
        {reset && (
          <Button mt="md" size="xs" variant="default" onClick={reset}>
            Try again
          </Button>
        )}
      </Alert>
    </Container>
  )
}
