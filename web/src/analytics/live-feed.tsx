/** The latest events, to check that counting works while setting it up. */
import type { ListLiveEventsResponse } from '@colophon/sdk'
import { Group, Loader, Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { clientClassLabels, formatClientName } from './client-labels.ts'
import { liveEventsQuery } from './queries.ts'
import { dropReasonLabels, sourceLabels } from './source-labels.ts'

export function LiveFeed({ projectId }: { projectId: string }) {
  const { data, error } = useQuery(liveEventsQuery(projectId))
  return (
    <Paper withBorder p="md" mb="lg">
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          Live
        </Title>
        <Group gap={6}>
          <Loader type="dots" size="xs" aria-hidden />
          <Text size="sm">Updates every 3 seconds</Text>
        </Group>
      </Group>
      <ErrorAlert error={error} title="The latest events could not be loaded" />
      {data?.events.length === 0 && (
        <Text size="sm" py="sm">
          No events in the last 15 minutes. Open a page of your site: its view appears here within seconds.
        </Text>
      )}
      {data && data.events.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be focusable
        <ul className="live-events" tabIndex={0} aria-label="Latest events">
          {data.events.map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two events can be equal, so only their position distinguishes them
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
          {clientClassLabels[client.class].name}
          {client.class !== 'human' && ` · ${formatClientName(client.name)}`}
        </span>
      ) : (
        <span className="live-dropped">
          dropped{reason !== null && `: ${dropReasonLabels[reason].label.toLowerCase()}`}
        </span>
      )}
      <span>{sourceLabels[source].name}</span>
    </li>
  )
}
