/** Who read, by kind and by name, with a bar for each. */
import type { ListClientsResponse } from '@colophon/sdk'
import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ClientClass, clientKinds, clientName } from './client-labels.ts'
import { percent, written } from './numbers.ts'

type Client = ListClientsResponse['clients'][number]

export function ClientList({ found, isOld }: { found: ListClientsResponse | undefined; isOld: boolean }) {
  if (!found) return <Skeleton h={320} />
  const { clients, coverage } = found
  if (clients.length === 0)
    return (
      <Paper withBorder p="md">
        <Text size="sm">Nobody was seen reading in this range.</Text>
      </Paper>
    )
  const largest = Math.max(...clients.map(({ views }) => views))
  const isMeasured = (kind: ClientClass) => coverage[kind === 'human' ? 'human' : 'ai'] === 'measured'
  const kinds = (Object.keys(clientKinds) as ClientClass[]).map((kind) => ({
    kind,
    isMeasured: isMeasured(kind),
    clients: clients.filter((client) => client.class === kind),
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
  clients,
  isMeasured,
  largest,
}: {
  kind: ClientClass
  clients: Client[]
  isMeasured: boolean
  largest: number
}) {
  const { name, what, ink } = clientKinds[kind]
  const total = clients.reduce((sum, { views }) => sum + views, 0)
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
        {clients.map(({ name: client, views }) => (
          <div key={client}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {clientName(client)}
              </Text>
              <Text size="sm" className="numbers" style={{ whiteSpace: 'nowrap' }}>
                {written(views)}
                {clients.length > 1 && ` · ${percent(views, total)}`}
              </Text>
            </Group>
            <div className="client-bar" aria-hidden>
              <span style={{ width: `${Math.max((views / largest) * 100, 0.5)}%`, background: ink }} />
            </div>
          </div>
        ))}
        {clients.length === 0 && isMeasured && <Text size="sm">None in this range.</Text>}
      </Stack>
    </Paper>
  )
}
