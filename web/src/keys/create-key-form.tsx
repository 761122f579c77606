import type { CreateKeyResponse } from '@colophon/sdk'
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { readBrowserTimeZone, toCalendarDay } from '../analytics/zoned-days.ts'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { type ExpiryOption, expiryOptions, toExpiresAt } from './expiry.ts'
import { parseNetworks } from './parse-networks.ts'
import { keysQuery } from './queries.ts'
import { ScopeCheckboxes } from './scope-checkboxes.tsx'
import { allScopes, type Scope, scopeDescriptions, selectScopes } from './scopes.ts'

interface Props {
  projectId: string
  onCreated(created: CreateKeyResponse): void
  onCancel(): void
}

export function CreateKeyForm({ projectId, onCreated, onCancel }: Props) {
  const withReauthentication = useReauthentication()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>([
    'agent:read',
    'agent:write',
    'analytics:read',
    'analytics:write',
  ])
  const [expiry, setExpiry] = useState<ExpiryOption>('90')
  const [date, setDate] = useState('')
  const [networks, setNetworks] = useState('')
  const create = useMutation({
    mutationFn: () =>
      withReauthentication(() =>
        client.keys.create(projectId, {
          name: name.trim(),
          scopes: [...scopes],
          expiresAt: toExpiresAt(expiry, date, new Date()),
          allowedNetworks: parseNetworks(networks),
        }),
      ),
    onSuccess: async (created) => {
      onCreated(created) // before anything else can fail: the secret is only in this response
      await queryClient.invalidateQueries({ queryKey: keysQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const hasAllScopes = scopes.length === allScopes.length
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="What will use this key"
          placeholder="Handbook CI"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ScopeCheckboxes
          label="Scopes"
          offered={scopeDescriptions}
          selected={scopes}
          onChange={(selected) => setScopes(selectScopes(scopes, selected))}
        />
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {hasAllScopes
              ? 'Full access to the project, like an owner, except to the publishing rules.'
              : 'Select only the scopes that the key needs.'}
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={() => setScopes(hasAllScopes ? [] : allScopes)}>
            {hasAllScopes ? 'Clear all' : 'Select all'}
          </Button>
        </Group>
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <NativeSelect
            label="Expires"
            data={expiryOptions}
            value={expiry}
            onChange={(event) => setExpiry(event.currentTarget.value as ExpiryOption)}
          />
          {expiry === 'date' && (
            <TextInput
              label="Valid through"
              type="date"
              required
              min={toCalendarDay(new Date(), readBrowserTimeZone())}
              value={date}
              onChange={(event) => setDate(event.currentTarget.value)}
            />
          )}
        </Group>
        <Textarea
          label="Allowed networks"
          description="One per line, for example 203.0.113.0/24. Leave empty to allow all networks"
          autosize
          maxRows={6}
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
        />
        <ErrorAlert error={create.error} title="The API key was not created" />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={scopes.length === 0 || name.trim() === ''}>
            Create API key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
