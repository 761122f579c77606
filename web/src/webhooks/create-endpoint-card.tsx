import type { WebhookEndpoint } from '@colophon/sdk'
import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { SettingsCard } from '../settings/settings-card.tsx'
import { CopyLine } from '../shown/copy-line.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { kindLabels } from './endpoint-labels.ts'
import { type EndpointEvent, EventCheckboxes } from './event-checkboxes.tsx'
import { endpointsQuery } from './queries.ts'

type Kind = WebhookEndpoint['kind']

const targetFields: Readonly<Record<Kind, { label: string; description: string; placeholder: string; type: string }>> =
  {
    webhook: {
      label: 'URL',
      description: 'Receives signed POST requests. Members can see it, so it should not contain a secret.',
      placeholder: 'https://ci.example.com/colophon',
      type: 'url',
    },
    slack: {
      label: 'Incoming webhook URL',
      description: 'Stored encrypted and not shown again.',
      placeholder: 'https://hooks.slack.com/services/…',
      type: 'url',
    },
    teams: {
      label: 'URL of the workflow',
      description:
        'From the workflow “Post to a channel when a webhook request is received”. Stored encrypted and not shown again.',
      placeholder: 'https://….logic.azure.com/workflows/…',
      type: 'url',
    },
    email: {
      label: 'Email address',
      description: 'Of a member who has joined the project.',
      placeholder: 'name@example.com',
      type: 'email',
    },
  }

const kinds = Object.entries(kindLabels).map(([value, label]) => ({ value, label }))
const defaultEvents: EndpointEvent[] = ['job.completed', 'job.failed', 'job.awaiting_approval']

export function CreateEndpointCard({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [kind, setKind] = useState<Kind>('webhook')
  const [name, setName] = useState('')
  const [target, setTarget] = useState('')
  const [events, setEvents] = useState(defaultEvents)
  const create = useMutation({
    mutationFn: () => {
      const body = { kind, name: name.trim(), target: target.trim(), events }
      return withReauthentication(() => client.webhooks.create(projectId, body))
    },
    onSuccess: () => {
      setName('')
      setTarget('')
      return queryClient.invalidateQueries({ queryKey: endpointsQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const field = targetFields[kind]
  const created = create.data
  return (
    <SettingsCard title="Create an endpoint" lead="It receives events that happen from then on.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Group align="flex-start" gap="sm">
            <NativeSelect
              label="Kind"
              data={kinds}
              value={kind}
              onChange={(event) => {
                setKind(event.currentTarget.value as Kind)
                setTarget('')
              }}
              style={{ flex: '0 1 180px' }}
            />
            <TextInput
              label="Name"
              placeholder="Docs pipeline"
              required
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              style={{ flex: '1 1 220px' }}
            />
          </Group>
          <TextInput
            label={field.label}
            description={field.description}
            placeholder={field.placeholder}
            type={field.type}
            required
            maxLength={2000}
            value={target}
            onChange={(event) => setTarget(event.currentTarget.value)}
          />
          <EventCheckboxes events={events} onChange={setEvents} />
          <Group>
            <Button
              type="submit"
              disabled={name.trim() === '' || target.trim() === '' || events.length === 0}
              loading={create.isPending}
            >
              Create endpoint
            </Button>
          </Group>
        </Stack>
      </form>
      <ErrorAlert error={create.error} />
      {created && (
        <Alert color="green" title={`${created.endpoint.name} has been created`} role="status">
          {created.secret === null ? (
            <Text size="sm">Send a test event to see whether it arrives.</Text>
          ) : (
            <Stack gap="sm">
              <CopyLine label="Secret" value={created.secret} />
              <Text size="sm">
                Copy the secret now. This is the only time it is shown. The receiver verifies requests with it:{' '}
                <DocsLink page="webhooks" inherit>
                  Webhooks
                </DocsLink>
                .
              </Text>
            </Stack>
          )}
        </Alert>
      )}
    </SettingsCard>
  )
}
