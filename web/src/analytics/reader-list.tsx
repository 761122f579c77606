/** Who read, by kind and by name, with a bar for each. */
import type { ListReadersResponse } from '@colophon/sdk'
import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { percent, written } from './numbers.ts'
import { type ReaderClass, readerKinds, readerName } from './reader-words.ts'

type Reader = ListReadersResponse['readers'][number]

export function ReaderList({ found, isOld }: { found: ListReadersResponse | undefined; isOld: boolean }) {
  if (!found) return <Skeleton h={320} />
  const { readers, coverage } = found
  if (readers.length === 0)
    return (
      <Paper withBorder p="md">
        <Text size="sm">Nobody was seen reading in this range.</Text>
      </Paper>
    )
  const largest = Math.max(...readers.map(({ views }) => views))
  const isMeasured = (kind: ReaderClass) => coverage[kind === 'human' ? 'human' : 'ai'] === 'measured'
  const kinds = (Object.keys(readerKinds) as ReaderClass[]).map((kind) => ({
    kind,
    isMeasured: isMeasured(kind),
    readers: readers.filter((reader) => reader.class === kind),
  }))
  return (
    <SimpleGrid
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      aria-busy={isOld}
      style={{ opacity: isOld ? 0.5 : 1, transition: 'opacity 150ms' }}
    >
      {kinds.map((shown) => (
        <Kind key={shown.kind} {...shown} largest={largest} />
      ))}
    </SimpleGrid>
  )
}

function Kind({
  kind,
  readers,
  isMeasured,
  largest,
}: {
  kind: ReaderClass
  readers: Reader[]
  isMeasured: boolean
  largest: number
}) {
  const { name, what, ink } = readerKinds[kind]
  const total = readers.reduce((sum, { views }) => sum + views, 0)
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" wrap="nowrap" align="baseline">
        <Title order={3} size="h5">
          {name}
        </Title>
        <Text fw={600} className="numbers">
          {isMeasured ? written(total) : 'Not measured'}
        </Text>
      </Group>
      <Text size="sm" mb="xs">
        {what}
      </Text>
      <Stack gap={8}>
        {readers.map(({ agent, views }) => (
          <div key={agent}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {readerName(agent)}
              </Text>
              <Text size="sm" className="numbers" style={{ whiteSpace: 'nowrap' }}>
                {written(views)}
                {readers.length > 1 && ` · ${percent(views, total)}`}
              </Text>
            </Group>
            <div className="reader-bar" aria-hidden>
              <span style={{ width: `${Math.max((views / largest) * 100, 0.5)}%`, background: ink }} />
            </div>
          </div>
        ))}
        {readers.length === 0 && isMeasured && <Text size="sm">None in this range.</Text>}
      </Stack>
    </Paper>
  )
}
