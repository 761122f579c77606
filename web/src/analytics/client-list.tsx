/** Views by client class and client, with a bar for each client. */
import type { ListClientsResponse } from '@colophon/sdk'
import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { type ClientClass, clientClassLabels, formatClientName } from './client-labels.ts'
import { formatCount, formatPercent } from './format-numbers.ts'

type Client = ListClientsResponse['clients'][number]

export function ClientList({ result, isStale }: { result: ListClientsResponse | undefined; isStale: boolean }) {
  if (!result) return <Skeleton h={320} />
  const { clients, coverage } = result
  if (clients.length === 0)
    return (
      <Paper withBorder p="md">
        <Text size="sm">No page views in this range.</Text>
      </Paper>
    )
  const largest = Math.max(...clients.map(({ views }) => views))
  const isMeasured = (clientClass: ClientClass) => coverage[clientClass === 'human' ? 'human' : 'ai'] === 'measured'
  const classes = (Object.keys(clientClassLabels) as ClientClass[]).map((clientClass) => ({
    clientClass,
    isMeasured: isMeasured(clientClass),
    clients: clients.filter((client) => client.class === clientClass),
  }))
  return (
    <SimpleGrid
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      aria-busy={isStale}
      style={{ opacity: isStale ? 0.5 : 1, transition: 'opacity 150ms' }}
    >
      {classes.map((props) => (
        <ClassCard key={props.clientClass} {...props} largest={largest} />
      ))}
    </SimpleGrid>
  )
}

function ClassCard({
  clientClass,
  clients,
  isMeasured,
  largest,
}: {
  clientClass: ClientClass
  clients: Client[]
  isMeasured: boolean
  largest: number
}) {
  const { name, description, color } = clientClassLabels[clientClass]
  const total = clients.reduce((sum, { views }) => sum + views, 0)
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" wrap="nowrap" align="baseline">
        <Title order={3} size="h5">
          {name}
        </Title>
        <Text fw={600} className="numbers">
          {isMeasured ? formatCount(total) : 'Not measured'}
        </Text>
      </Group>
      <Text size="sm" mb="xs">
        {description}
      </Text>
      <Stack gap={8}>
        {clients.map(({ name: client, views }) => (
          <div key={client}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {formatClientName(client)}
              </Text>
              <Text size="sm" className="numbers" style={{ whiteSpace: 'nowrap' }}>
                {formatCount(views)}
                {clients.length > 1 && ` · ${formatPercent(views, total)}`}
              </Text>
            </Group>
            <div className="client-bar" aria-hidden>
              <span style={{ width: `${Math.max((views / largest) * 100, 0.5)}%`, background: color }} />
            </div>
          </div>
        ))}
        {clients.length === 0 && isMeasured && <Text size="sm">No views in this range.</Text>}
      </Stack>
    </Paper>
  )
}
