import { Box, Skeleton, Stack } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { PageHeader } from '../shown/page-header.tsx'

/** A settings page: its header, and its cards when their data is loaded. */
export function SettingsPageLayout<Data>({
  title,
  lead,
  query: { data, error },
  children,
}: {
  title: string
  lead: ReactNode
  query: { data: Data | undefined; error: unknown }
  children: (data: Data) => ReactNode
}) {
  useScrollToLinkedCard(data !== undefined)
  return (
    <Box maw={860}>
      <PageHeader title={title} lead={lead} />
      <Stack gap="lg">
        {data === undefined && !error && <Skeleton height={220} role="status" aria-label="Loading" />}
        {data === undefined && <ErrorAlert error={error} title="The settings could not be loaded" />}
        {data !== undefined && children(data)}
      </Stack>
    </Box>
  )
}

/** A link can name a card. The cards appear when their data is loaded, which is too late for the router to scroll to one. */
function useScrollToLinkedCard(isLoaded: boolean): void {
  useEffect(() => {
    if (isLoaded) document.getElementById(window.location.hash.slice(1))?.scrollIntoView()
  }, [isLoaded])
}
