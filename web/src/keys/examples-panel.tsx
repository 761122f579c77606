import { Anchor, Code, Tabs, Text, Title } from '@mantine/core'
import { CopyBlock } from '../shown/copy-block.tsx'
import { examplesFor } from './examples.ts'

export function Examples({ projectId }: { projectId: string }) {
  const examples = examplesFor({ origin: window.location.origin, projectId })
  return (
    <section aria-labelledby="examples">
      <Title order={2} size="h3" mt="xl" id="examples">
        Use it
      </Title>
      <Text c="dimmed" size="sm" mb="md">
        Create a job, poll it, read page views. Each runs as it stands, with the key in the environment as{' '}
        <Code>COLOPHON_API_KEY</Code>. Every call is in the{' '}
        <Anchor href="/reference" inherit>
          API reference
        </Anchor>
        .
      </Text>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="md">
          {examples.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {examples.map(({ language, first, text }) => (
          <Tabs.Panel key={language} value={language}>
            {first && (
              <Text size="sm" mb="xs">
                First: <Code>{first}</Code>
              </Text>
            )}
            <CopyBlock label={`the ${language} example`} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  )
}
