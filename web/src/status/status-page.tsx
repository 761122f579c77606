import { Anchor, Container, Group, SimpleGrid, Text, Title, VisuallyHidden } from '@mantine/core'
import { useEffect } from 'react'
import { client } from '../app/client.ts'
import { Wordmark } from '../app/wordmark.tsx'
import { StatusPanel } from './status-panel.tsx'
import { useReadiness } from './use-readiness.ts'
import { wordsForState } from './wording.ts'

export function StatusPage() {
  const seen = useReadiness(client)
  const { headline, tone } = wordsForState(seen)
  const title = tone === 'poor' || tone === 'bad' ? `${headline} · Colophon` : 'Status · Colophon'
  useEffect(() => {
    document.title = title // not <title>: beside the one in index.html, which stands first, it would not be shown
  }, [title])
  return (
    <Container size="42rem" py="9vh" px="lg">
      <header>
        <Wordmark />
        <VisuallyHidden>
          <Title order={1}>Status</Title>
        </VisuallyHidden>
        <Text my="xl" size="xl" ff="heading">
          A backend for docs that live in git, on your own machines: an agent that turns an instruction into a pull
          request, and an exact count of which pages people and AIs read.
        </Text>
      </header>
      <main>
        <StatusPanel seen={seen} />
        <SimpleGrid component="nav" cols={{ base: 1, xs: 2 }} mt="lg" aria-label="API">
          <Described href="/reference" name="API reference" words="Every call, with its answers" />
          <Described href="/openapi.json" name="OpenAPI document" words="The same for generators and tools" />
        </SimpleGrid>
      </main>
      <Group component="footer" mt="xl" gap="lg" c="dimmed" fz="xs">
        {seen.state === 'answered' && <span>Version {seen.readiness.version}</span>}
        {seen.state !== 'asking' && (
          <span>
            Asked at <time dateTime={seen.at.toISOString()}>{seen.at.toLocaleTimeString()}</time>
          </span>
        )}
      </Group>
    </Container>
  )
}

const Described = ({ href, name, words }: { href: string; name: string; words: string }) => (
  <div>
    <Anchor href={href} fw={600}>
      {name}
    </Anchor>
    <Text size="sm" c="dimmed">
      {words}
    </Text>
  </div>
)
