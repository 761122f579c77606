import { Box, Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failure } from '../shown/failure.tsx'
import { PageHeader } from '../shown/page-header.tsx'

/** A settings page: its header, and its cards when their data is loaded. */
export function SettingsPage<Data>({
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
  return (
    <Box maw={860}>
      <PageHeader title={title} lead={lead} />
      <Stack gap="lg">
        {data === undefined && !error && <Skeleton height={220} aria-label="Loading" />}
        {data === undefined && <Failure error={error} title="The settings could not be loaded" />}
        {data !== undefined && children(data)}
      </Stack>
    </Box>
  )
}
