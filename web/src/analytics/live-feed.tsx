/** The last events, as they come: to see counting work while it is set up. */
import type { ListLiveEventsResponse } from '@colophon/sdk'
import { Group, Loader, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../shown/failure.tsx'
import { clientKinds, clientName } from './client-labels.ts'
import { liveQuery } from './queries.ts'
import { reasonWords, sourceWords } from './source-words.ts'

export function LiveFeed({ projectId }: { projectId: string }) {
  const { data, error } = useQuery(liveQuery(projectId))
  return (
    <Paper withBorder p="md" mb="lg">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Live
        </Title>
        <Group gap={6}>
          <Loader type="dots" size="xs" aria-hidden />
          <Text size="sm">looking every 3 seconds</Text>
        </Group>
      </Group>
      <Failure error={error} title="The last events could not be read" />
      {data?.events.length === 0 && (
        <Text size="sm" py="sm">
          Nothing in the last 15 minutes. Open a page of your site: its view is here within seconds.
        </Text>
      )}
      {data && data.events.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has to by the keyboard too
        <ul className="live-events" tabIndex={0} aria-label="The last events">
          {data.events.map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two equal events are two events, only their place tells them apart
            <Event key={`${event.at} ${event.path} ${index}`} event={event} />
          ))}
        </ul>
      )}
    </Paper>
  )
}

function Event({ event: { at, path, source, client, reason } }: { event: ListLiveEventsResponse['events'][number] }) {
  return (
    <li>
      <span className="numbers">{new Date(at).toLocaleTimeString('en-GB')}</span>
      <span className="live-path">{path}</span>
      {client ? (
        <span>
          {clientKinds[client.class].name}
          {client.class !== 'human' && ` · ${clientName(client.name)}`}
        </span>
      ) : (
        <span className="live-dropped">dropped{reason !== null && `: ${reasonWords[reason].what.toLowerCase()}`}</span>
      )}
      <span>{sourceWords[source].name}</span>
    </li>
  )
}
