import { Center, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Wordmark } from '../app/wordmark.tsx'

/** The layout of pages for people who are not signed in. */
export function SignedOutLayout({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Colophon`
  }, [title])
  return (
    <Center component="main" mih="100dvh" px="md" py="xl">
      <Stack w="100%" maw={420} gap="lg">
        <Wordmark />
        <Paper withBorder p={{ base: 'lg', xs: 'xl' }} radius="md">
          <Stack gap="md">
            <div>
              <Title order={1} size="h2">
                {title}
              </Title>
              {lead && (
                <Text c="dimmed" mt={4} component="div">
                  {lead}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  )
}
