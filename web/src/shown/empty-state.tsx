import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Shown in place of missing content: what would be here, and what to do next. */
export function EmptyState({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" maw={480} mx="auto" ta="center">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" size="sm" component="div">
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
