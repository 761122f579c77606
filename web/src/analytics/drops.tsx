import type { ViewSources } from '@colophon/sdk'
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { shortly, written } from './numbers.ts'
import { reasonWords, sourceWords } from './source-words.ts'

/** What was sent and not counted: mostly that is well, and the words say when it is not. */
export function Drops({ dropped }: { dropped: ViewSources['dropped'] }) {
  const largest = Math.max(1, ...dropped.map(({ last7Days }) => last7Days))
  return (
    <Paper withBorder p="md" mb="lg">
      <Title order={2} size="h4" mb="xs">
        Not counted, and why
      </Title>
      {dropped.length === 0 ? (
        <Text size="sm">Nothing was dropped in the last 7 days.</Text>
      ) : (
        <Stack gap="sm">
          {dropped.map(({ source, reason, last24Hours, last7Days }) => (
            <div key={`${source} ${reason}`}>
              <Group justify="space-between" align="baseline" gap="0 md">
                <Text size="sm">
                  <Text span fw={600} inherit>
                    {reasonWords[reason].what}
                  </Text>{' '}
                  · {sourceWords[source].name}
                </Text>
                <Text size="sm" className="numbers" style={{ whiteSpace: 'nowrap' }} title={written(last7Days)}>
                  {shortly(last7Days)} in 7 days, {shortly(last24Hours)} in 24 h
                </Text>
              </Group>
              <div className="reader-bar" aria-hidden>
                <span style={{ width: `${(last7Days / largest) * 100}%`, background: 'var(--ink-others)' }} />
              </div>
              <Text size="xs">{reasonWords[reason].todo}</Text>
            </div>
          ))}
        </Stack>
      )}
    </Paper>
  )
}
