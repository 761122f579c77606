import { Anchor, Container, Group, SimpleGrid, Text, Title, VisuallyHidden } from '@mantine/core'
import { useEffect } from 'react'
import { client } from '../app/client.ts'
import { Wordmark } from '../app/wordmark.tsx'
import { describeReadinessState } from './labels.ts'
import { StatusPanel } from './status-panel.tsx'
import { useReadiness } from './use-readiness.ts'

export function StatusPage() {
  const state = useReadiness(client)
  const { headline, tone } = describeReadinessState(state)
  const title = tone === 'poor' || tone === 'bad' ? `${headline} · Colophon` : 'Status · Colophon'
  useEffect(() => {
    document.title = title // not <title>: the one in index.html comes first and would win
  }, [title])
  return (
    <Container size="42rem" py="9vh" px="lg">
      <header>
        <Wordmark />
        <VisuallyHidden>
          <Title order={1}>Status</Title>
        </VisuallyHidden>
        <Text my="xl" size="xl" ff="heading">
          A self-hosted backend for docs-as-code: an agent that turns prompts into pull requests, and exact counts of
          page views by humans and AI.
        </Text>
      </header>
      <main>
        <StatusPanel state={state} />
        <SimpleGrid component="nav" cols={{ base: 1, xs: 2 }} mt="lg" aria-label="API">
          <DescribedLink href="/reference" name="API reference" description="All endpoints and their responses" />
          <DescribedLink href="/openapi.json" name="OpenAPI description" description="For code generators and tools" />
        </SimpleGrid>
      </main>
      <Group component="footer" mt="xl" gap="lg" c="dimmed" fz="xs">
        {state.state === 'loaded' && <span>Version {state.readiness.version}</span>}
        {state.state !== 'loading' && (
          <span>
            Checked at <time dateTime={state.at.toISOString()}>{state.at.toLocaleTimeString()}</time>
          </span>
        )}
      </Group>
    </Container>
  )
}

const DescribedLink = ({ href, name, description }: { href: string; name: string; description: string }) => (
  <div>
    <Anchor href={href} fw={600}>
      {name}
    </Anchor>
    <Text size="sm" c="dimmed">
      {description}
    </Text>
  </div>
)
