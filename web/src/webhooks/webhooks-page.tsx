import type { WebhookEndpoint } from '@colophon/sdk'
import { Badge, Divider, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { canManage, useProject } from '../projects/project.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { SettingsPageLayout } from '../settings/settings-page-layout.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { AnchorLink } from '../shown/links.tsx'
import { CreateEndpointCard } from './create-endpoint-card.tsx'
import { describeEndpointState, disabledReasonTexts, kindLabels } from './endpoint-labels.ts'
import { endpointsQuery } from './queries.ts'

export function WebhooksPage() {
  const project = useProject()
  const canChange = canManage(project)
  const query = useQuery(endpointsQuery(project.id))
  return (
    <SettingsPageLayout
      title="Webhooks"
      lead={
        <>
          Sends events of this project, such as completed jobs, to your services, chats and members.{' '}
          <DocsLink page="webhooks" inherit>
            How to receive them
          </DocsLink>
        </>
      }
      query={query}
    >
      {({ endpoints }) => (
        <>
          {endpoints.length === 0 ? (
            <EmptyState title="No endpoints yet">
              {canChange ? 'Create one below.' : 'Ask an owner of the project to create one.'}
            </EmptyState>
          ) : (
            <SettingsCard title="Endpoints">
              {endpoints.map((endpoint, index) => (
                <Fragment key={endpoint.id}>
                  {index > 0 && <Divider />}
                  <EndpointRow projectId={project.id} endpoint={endpoint} />
                </Fragment>
              ))}
            </SettingsCard>
          )}
          {canChange && <CreateEndpointCard projectId={project.id} />}
        </>
      )}
    </SettingsPageLayout>
  )
}

function EndpointRow({ projectId, endpoint }: { projectId: string; endpoint: WebhookEndpoint }) {
  const { label, color } = describeEndpointState(endpoint)
  return (
    <Group justify="space-between" gap="sm">
      <Stack gap={4} style={{ flex: '1 1 300px', minWidth: 0, overflowWrap: 'anywhere' }}>
        <AnchorLink
          to="/projects/$projectId/settings/webhooks/$endpointId"
          params={{ projectId, endpointId: endpoint.id }}
          fw={600}
        >
          {endpoint.name}
        </AnchorLink>
        <Text size="sm" c="dimmed">
          {kindLabels[endpoint.kind]} · {endpoint.target} ·{' '}
          {endpoint.events.length === 1 ? '1 event' : `${endpoint.events.length} events`}
        </Text>
        {endpoint.disabledReason !== null && endpoint.disabledReason !== 'by_person' && (
          <Text size="sm" c="var(--bad)">
            {disabledReasonTexts[endpoint.disabledReason]}
          </Text>
        )}
      </Stack>
      <Badge tt="none" variant="light" color={color}>
        {label}
      </Badge>
    </Group>
  )
}
