import type { WebhookEndpoint } from '@colophon/sdk'
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import { keysQuery } from '../keys/queries.ts'
import { formatCreator } from '../people/format-creator.ts'
import { canManage, useProject } from '../projects/project.ts'
import { ConfirmModal } from '../settings/confirm-modal.tsx'
import { DangerButton } from '../settings/danger-button.tsx'
import { notifySaved } from '../settings/notify-saved.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { SettingsPageLayout } from '../settings/settings-page-layout.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { EditEndpointModal } from './edit-endpoint-modal.tsx'
import { describeEndpointState, disabledReasonTexts, eventLabels, kindLabels } from './endpoint-labels.ts'
import { deliveriesQuery, endpointsQuery } from './queries.ts'
import { RotateSecretModal } from './rotate-secret-modal.tsx'

export function EndpointPage() {
  const project = useProject()
  const { endpointId } = useParams({ strict: false })
  const query = useQuery(endpointsQuery(project.id))
  const endpoint = query.data?.endpoints.find(({ id }) => id === endpointId)
  return (
    <SettingsPageLayout
      title={endpoint?.name ?? 'Endpoint'}
      lead={
        <AnchorLink to="/projects/$projectId/settings/webhooks" params={{ projectId: project.id }} inherit>
          All endpoints
        </AnchorLink>
      }
      query={query}
    >
      {() =>
        endpoint ? (
          <>
            <EndpointCard projectId={project.id} endpoint={endpoint} canChange={canManage(project)} />
            <DeliveryLog projectId={project.id} endpoint={endpoint} canResend={canManage(project)} />
          </>
        ) : (
          <EmptyState title="This endpoint does not exist">It may have been deleted.</EmptyState>
        )
      }
    </SettingsPageLayout>
  )
}

function EndpointCard({
  projectId,
  endpoint,
  canChange,
}: {
  projectId: string
  endpoint: WebhookEndpoint
  canChange: boolean
}) {
  const { data: keys } = useQuery(keysQuery(projectId))
  const state = describeEndpointState(endpoint)
  return (
    <SettingsCard title="Endpoint">
      {endpoint.disabledReason !== null && (
        <Alert color={endpoint.disabledReason === 'by_person' ? 'gray' : 'red'} title="This endpoint is disabled">
          {disabledReasonTexts[endpoint.disabledReason]} New events are not sent to it.
        </Alert>
      )}
      <Stack gap={4} style={{ overflowWrap: 'anywhere' }}>
        <Group gap="xs">
          <Badge tt="none" variant="light" color={state.color}>
            {state.label}
          </Badge>
          <Text>
            {kindLabels[endpoint.kind]} · {endpoint.target}
          </Text>
        </Group>
        <Text size="sm" c="dimmed">
          {endpoint.events.map((event) => eventLabels[event]).join(', ')}
        </Text>
        <Text size="sm" c="dimmed">
          At most {endpoint.maxPerSecond} per second · created <RelativeTime at={endpoint.createdAt} />, responsible:{' '}
          {formatCreator(endpoint.responsible, keys)}
        </Text>
        {endpoint.failingSince !== null && (
          <Text size="sm" c="var(--bad)">
            Every attempt fails. The first failure was <RelativeTime at={endpoint.failingSince} />.
          </Text>
        )}
        {endpoint.previousSecretExpiresAt !== null && (
          <Text size="sm" c="dimmed">
            Also signed with the previous secret, which expires <RelativeTime at={endpoint.previousSecretExpiresAt} />
          </Text>
        )}
      </Stack>
      {canChange && <EndpointActions projectId={projectId} endpoint={endpoint} />}
    </SettingsCard>
  )
}

function EndpointActions({ projectId, endpoint }: { projectId: string; endpoint: WebhookEndpoint }) {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isEditing, editing] = useDisclosure()
  const [isRotating, rotation] = useDisclosure()
  const [isDeleting, deletion] = useDisclosure()
  const refreshEndpoints = () => queryClient.invalidateQueries({ queryKey: endpointsQuery(projectId).queryKey })
  const change = useMutation({
    mutationFn: () => client.webhooks.change(projectId, endpoint.id, { isEnabled: !endpoint.isEnabled }),
    onSuccess: refreshEndpoints,
  })
  const sendTest = useMutation({
    mutationFn: () => client.webhooks.test(projectId, endpoint.id),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: deliveriesQuery(projectId, endpoint.id).queryKey })
      notifySaved('A test event has been queued. See below whether it is delivered.')
    },
  })
  const remove = useMutation({
    mutationFn: () => client.webhooks.delete(projectId, endpoint.id),
    onSuccess: async () => {
      await navigate({ to: '/projects/$projectId/settings/webhooks', params: { projectId } })
      await refreshEndpoints()
      notifySaved(`${endpoint.name} has been deleted.`)
    },
  })
  return (
    <>
      <ErrorAlert error={change.error ?? sendTest.error} />
      <Group gap="sm">
        {endpoint.isEnabled && (
          <Button variant="default" size="xs" loading={sendTest.isPending} onClick={() => sendTest.mutate()}>
            Send test event
          </Button>
        )}
        <Button variant="default" size="xs" onClick={editing.open}>
          Edit
        </Button>
        {endpoint.kind === 'webhook' && (
          <Button variant="default" size="xs" onClick={rotation.open}>
            Rotate secret
          </Button>
        )}
        <Button variant="default" size="xs" loading={change.isPending} onClick={() => change.mutate()}>
          {endpoint.isEnabled ? 'Disable' : 'Enable'}
        </Button>
        <DangerButton subject={endpoint.name} onClick={deletion.open}>
          Delete
        </DangerButton>
      </Group>
      <EditEndpointModal projectId={projectId} endpoint={endpoint} isOpen={isEditing} close={editing.close} />
      <RotateSecretModal projectId={projectId} endpoint={endpoint} isOpen={isRotating} close={rotation.close} />
      <ConfirmModal
        opened={isDeleting}
        title={`Delete ${endpoint.name}?`}
        action="Delete endpoint"
        mutation={remove}
        onConfirm={() => remove.mutate()}
        onClose={deletion.close}
      >
        Nothing more is sent to it, including what is waiting, and its delivery log is deleted.
      </ConfirmModal>
    </>
  )
}
