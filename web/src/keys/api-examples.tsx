import { Anchor, Box, Code, Tabs, Text, Title } from '@mantine/core'
import { CopyBlock } from '../shown/copy-block.tsx'
import { apiExamples, renderEnvironmentExample } from './examples.ts'

export function ApiExamples({ projectId }: { projectId: string }) {
  return (
    <section aria-labelledby="examples">
      <Title order={2} size="h3" mt="xl" id="examples">
        Use the API
      </Title>
      <Text c="dimmed" size="sm" mb="md">
        Create a job, poll it until it ends, and read page views. All endpoints are in the{' '}
        <Anchor href="/reference" inherit>
          API reference
        </Anchor>
        .
      </Text>
      <Text size="sm" mb="xs">
        The examples read these environment variables. Replace <Code>colophon_…</Code> with your API key:
      </Text>
      <CopyBlock
        label="environment variables"
        text={renderEnvironmentExample({ origin: window.location.origin, projectId })}
      />
      <Tabs defaultValue="curl" keepMounted={false} mt="md">
        <Tabs.List mb="md">
          {apiExamples.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {apiExamples.map(({ language, requirement, renderInstallCommand, text }) => (
          <Tabs.Panel key={language} value={language}>
            <Text size="sm" mb="xs">
              {requirement}
            </Text>
            {renderInstallCommand && (
              <Box mb="xs">
                <CopyBlock
                  label="command that installs the client"
                  text={renderInstallCommand({ origin: window.location.origin })}
                />
              </Box>
            )}
            <CopyBlock label={`${language} example`} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  )
}
