import type { WebhookDelivery, WebhookEndpoint } from '@colophon/sdk'
import { Badge, Button, Divider, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { client } from '../app/client.ts'
import { notifySaved } from '../settings/notify-saved.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { CopyBlock } from '../shown/copy-block.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { describeDeliveryState, formatEventType } from './endpoint-labels.ts'
import { deliveriesQuery, deliveryQuery } from './queries.ts'

interface Props {
  projectId: string
  endpoint: WebhookEndpoint
  canResend: boolean
}

export function DeliveryLog({ projectId, endpoint, canResend }: Props) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveriesQuery(projectId, endpoint.id),
  )
  const [shown, setShown] = useState<WebhookDelivery>()
  const deliveries = data?.pages.flatMap((page) => page.deliveries)
  return (
    <SettingsCard
      title="Deliveries"
      lead="Of the last 30 days. An event that is not accepted is sent again for three days."
    >
      <ErrorAlert error={error} title="The deliveries could not be loaded" />
      {!data && !error && <Skeleton height={120} role="status" aria-label="Loading" />}
      {deliveries?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing has been sent yet.
        </Text>
      )}
      {deliveries?.map((delivery, index) => (
        <Fragment key={delivery.id}>
          {index > 0 && <Divider />}
          <DeliveryRow delivery={delivery} show={() => setShown(delivery)} />
        </Fragment>
      ))}
      {hasNextPage && (
        <Group>
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older deliveries
          </Button>
        </Group>
      )}
      <Modal
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown && formatEventType(shown.eventType)}
        size="lg"
      >
        {shown && (
          <DeliveryDetails projectId={projectId} endpoint={endpoint} canResend={canResend} deliveryId={shown.id} />
        )}
      </Modal>
    </SettingsCard>
  )
}

function DeliveryRow({ delivery, show }: { delivery: WebhookDelivery; show(): void }) {
  const { label, color } = describeDeliveryState(delivery)
  return (
    <Group justify="space-between" gap="sm">
      <Stack gap={2} style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Group gap="xs">
          <Text fw={600}>{formatEventType(delivery.eventType)}</Text>
          {delivery.isResend && (
            <Badge tt="none" variant="light" color="blue">
              Sent again
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          <RelativeTime at={delivery.createdAt} /> ·{' '}
          {delivery.attempts === 1 ? '1 attempt' : `${delivery.attempts} attempts`}
        </Text>
      </Stack>
      <Group gap="sm">
        <Badge tt="none" variant="light" color={color}>
          {label}
        </Badge>
        <Button
          variant="default"
          size="xs"
          aria-label={`Details of ${formatEventType(delivery.eventType)} ${delivery.id}`}
          onClick={show}
        >
          Details
        </Button>
      </Group>
    </Group>
  )
}

function DeliveryDetails({ projectId, endpoint, canResend, deliveryId }: Props & { deliveryId: string }) {
  const queryClient = useQueryClient()
  const { data, error } = useQuery(deliveryQuery(projectId, endpoint.id, deliveryId))
  const resend = useMutation({
    mutationFn: () => client.webhooks.resend(projectId, endpoint.id, deliveryId),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: deliveriesQuery(projectId, endpoint.id).queryKey })
      notifySaved('The event has been queued again.')
    },
  })
  if (!data)
    return error ? (
      <ErrorAlert error={error} title="The delivery could not be loaded" />
    ) : (
      <Skeleton height={160} role="status" aria-label="Loading" />
    )
  const formattedPayload = JSON.stringify(JSON.parse(data.payload), null, 2)
  return (
    <Stack gap="md">
      <CopyLine label="webhook-id" value={data.delivery.eventId} />
      <Stack gap="xs">
        {data.attempts.length === 0 && (
          <Text size="sm" c="dimmed">
            No attempt yet.
          </Text>
        )}
        {data.attempts.map(({ number, startedAt, durationMs, responseStatus, responseBeginning, error: failure }) => (
          <Stack key={number} gap={4}>
            <Text size="sm">
              <b>Attempt {number}</b> · <RelativeTime at={startedAt} />
              {durationMs === null ? ' · not finished, or interrupted' : ` · ${durationMs} ms`}
              {responseStatus !== null && ` · status ${responseStatus}`}
            </Text>
            {failure !== null && (
              <Text size="sm" c="var(--bad)">
                {failure}
              </Text>
            )}
            {responseBeginning && <CopyBlock label={`response ${number}`} text={responseBeginning} />}
          </Stack>
        ))}
      </Stack>
      <Text size="sm" fw={600}>
        Payload
      </Text>
      <CopyBlock label="payload" text={formattedPayload} />
      <ErrorAlert error={resend.error} />
      {canResend && endpoint.isEnabled && (
        <Group justify="flex-end">
          <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
            Send again
          </Button>
        </Group>
      )}
    </Stack>
  )
}
