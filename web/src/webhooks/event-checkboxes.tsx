import type { WebhookEndpoint } from '@colophon/sdk'
import { Checkbox, SimpleGrid } from '@mantine/core'
import { eventLabels } from './endpoint-labels.ts'

export type EndpointEvent = WebhookEndpoint['events'][number]

export function EventCheckboxes({
  events,
  onChange,
}: {
  events: readonly EndpointEvent[]
  onChange(events: EndpointEvent[]): void
}) {
  return (
    <Checkbox.Group label="Events" value={[...events]} onChange={(values) => onChange(values as EndpointEvent[])}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="xs">
        {Object.entries(eventLabels).map(([value, label]) => (
          <Checkbox key={value} value={value} label={label} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}
