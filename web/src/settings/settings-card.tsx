import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './settings-card.module.css'

/** A section of a settings page. Each one is saved separately. A link can name its `id`. */
export function SettingsCard({
  id,
  title,
  lead,
  children,
}: {
  id?: string
  title: string
  lead?: ReactNode
  children: ReactNode
}) {
  return (
    <Paper
      id={id}
      className={classes.card}
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      component="section"
      aria-label={title}
    >
      <Title order={2} size="h4">
        {title}
      </Title>
      {lead && (
        <Text c="dimmed" size="sm" mt={4} maw={620}>
          {lead}
        </Text>
      )}
      <Stack mt="md" gap="md">
        {children}
      </Stack>
    </Paper>
  )
}
