import type { WebhookEndpoint } from '@colophon/sdk'
import { Button, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { notifySaved } from '../settings/notify-saved.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { EventCheckboxes } from './event-checkboxes.tsx'
import { endpointsQuery } from './queries.ts'

interface Props {
  projectId: string
  endpoint: WebhookEndpoint
  isOpen: boolean
  close(): void
}

export function EditEndpointModal({ projectId, endpoint, isOpen, close }: Props) {
  return (
    <Modal opened={isOpen} onClose={close} title={`Edit ${endpoint.name}`} size="lg" centered>
      {isOpen && <EditEndpointForm projectId={projectId} endpoint={endpoint} close={close} />}
    </Modal>
  )
}

function EditEndpointForm({ projectId, endpoint, close }: Omit<Props, 'isOpen'>) {
  const queryClient = useQueryClient()
  const [name, setName] = useState(endpoint.name)
  const [events, setEvents] = useState(endpoint.events)
  const [maxPerSecond, setMaxPerSecond] = useState<number | string>(endpoint.maxPerSecond)
  const save = useMutation({
    mutationFn: () =>
      client.webhooks.change(projectId, endpoint.id, {
        name: name.trim(),
        events,
        maxPerSecond: Number(maxPerSecond),
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: endpointsQuery(projectId).queryKey })
      close()
      notifySaved('The endpoint has been changed.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <EventCheckboxes events={events} onChange={setEvents} />
        <NumberInput
          label="Max requests per second"
          description="Further events wait."
          required
          min={1}
          max={100}
          allowDecimal={false}
          value={maxPerSecond}
          onChange={setMaxPerSecond}
          maw={220}
        />
        <ErrorAlert error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            disabled={name.trim() === '' || events.length === 0 || maxPerSecond === ''}
            loading={save.isPending}
          >
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
