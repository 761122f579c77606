import type { ViewSources } from '@colophon/sdk'
import { Badge, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core'
import { Ago } from '../shown/ago.tsx'
import { written } from './numbers.ts'
import { type SourceName, sourceWords } from './source-words.ts'

const names = Object.keys(sourceWords) as SourceName[]

export function SourceCards({ sources }: { sources: ViewSources['sources'] }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" mb="lg">
      {names.map((name) => (
        <SourceCard key={name} name={name} heard={sources.find(({ source }) => source === name)} />
      ))}
    </SimpleGrid>
  )
}

function SourceCard({ name, heard }: { name: SourceName; heard: ViewSources['sources'][number] | undefined }) {
  const words = sourceWords[name]
  return (
    <Paper withBorder p="md">
      <Group justify="space-between">
        <Title order={2} size="h5">
          {words.name}
        </Title>
        {heard ? (
          <Badge color="teal.9" variant="filled" tt="none">
            Heard of
          </Badge>
        ) : (
          <Badge variant="default" tt="none">
            Nothing yet
          </Badge>
        )}
      </Group>
      <Text size="sm">{words.sees}</Text>
      {heard && (
        <>
          <Text size="sm" mt="sm">
            Last event <Ago at={heard.lastEventAt} />
          </Text>
          <Text size="sm" className="numbers">
            In 24 hours {written(heard.countedLast24Hours)} counted, {written(heard.droppedLast24Hours)} dropped
          </Text>
        </>
      )}
    </Paper>
  )
}
