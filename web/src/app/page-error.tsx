import { ColophonError } from '@colophon/sdk'
import { Alert, Button, Container } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { ButtonLink } from '../shown/links.tsx'

/** Shown instead of a page that failed to load: the server's error detail, and a button to retry. */
export function PageError({ error, reset }: Partial<ErrorComponentProps> & { error: unknown }) {
  const detail = error instanceof ColophonError ? error.detail : 'An unexpected error occurred on this page.'
  const needsSecondFactor = error instanceof ColophonError && error.code === 'second_factor_required'
  return (
    <Container size="sm" py="xl">
      <Alert color="red" title="This page could not be loaded" role="alert">
        {detail}
        {needsSecondFactor && (
          <ButtonLink to="/account" mt="md" mr="sm" size="xs" variant="default">
            Set up a second factor
          </ButtonLink>
        )}
        {reset && (
          <Button mt="md" size="xs" variant="default" onClick={reset}>
            Try again
          </Button>
        )}
      </Alert>
    </Container>
  )
}
