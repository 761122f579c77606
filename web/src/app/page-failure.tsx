import { ColophonError } from '@colophon/sdk'
import { Alert, Button, Container } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'

/** For whatever a page could not get: what happened, in the server's words, and a way on. */
export function PageFailure({ error, reset }: Partial<ErrorComponentProps> & { error: unknown }) {
  const detail = error instanceof ColophonError ? error.detail : 'The page met something it did not expect.'
  return (
    <Container size="sm" py="xl">
      <Alert color="red" title="This page cannot be shown" role="alert">
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
