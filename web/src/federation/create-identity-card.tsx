import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ScopeCheckboxes } from '../keys/scope-checkboxes.tsx'
import { scopeDescriptions } from '../keys/scopes.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { notifySaved } from '../settings/notify-saved.ts'
import { SettingsCard } from '../settings/settings-card.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import {
  defaultIssuers,
  emptyForm,
  type IdentityForm,
  type Provider,
  providerLabels,
  toNewIdentity,
} from './identity-form.ts'
import { identitiesQuery } from './queries.ts'

const providers = Object.entries(providerLabels).map(([value, label]) => ({ value, label }))

/** A run cannot get the others: it must not create access that stays, or approve its own results. */
const offeredScopes = scopeDescriptions.filter(({ scope }) => scope !== 'project:write' && scope !== 'agent:approve')

export function CreateIdentityCard({ projectId }: { projectId: string }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const [form, setForm] = useState<IdentityForm>(emptyForm)
  const change = (changed: Partial<IdentityForm>) => setForm((before) => ({ ...before, ...changed }))
  const create = useMutation({
    mutationFn: () => withReauthentication(() => client.federation.create(projectId, toNewIdentity(form))),
    onSuccess: ({ name }) => {
      setForm(emptyForm)
      notifySaved(`${name} has been created.`)
      return queryClient.invalidateQueries({ queryKey: identitiesQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <SettingsCard
      title="Create a federated identity"
      lead="Runs for pull requests never get a key. Everyone who can push to the branch can get one."
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Group align="flex-start" gap="sm">
            <NativeSelect
              label="CI service"
              data={providers}
              value={form.provider}
              onChange={(event) => {
                const provider = event.currentTarget.value as Provider
                change({ provider, issuer: defaultIssuers[provider] })
              }}
              style={{ flex: '0 1 180px' }}
            />
            <TextInput
              label="Name"
              placeholder="Product repository"
              required
              maxLength={80}
              value={form.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
              style={{ flex: '1 1 220px' }}
            />
          </Group>
          {form.provider === 'other' ? (
            <TextInput
              label="Subject"
              description="The claim “sub” of the tokens, exactly."
              required
              maxLength={500}
              value={form.subject}
              onChange={(event) => change({ subject: event.currentTarget.value })}
            />
          ) : (
            <RepositoryFields form={form} change={change} />
          )}
          <TextInput
            label="Issuer"
            description="Change it for your own server. It must be exactly the claim “iss” of the tokens."
            placeholder="https://gitlab.example.com"
            required
            type="url"
            maxLength={300}
            value={form.issuer}
            onChange={(event) => change({ issuer: event.currentTarget.value })}
          />
          <ScopeCheckboxes
            label="Scopes of the keys"
            offered={offeredScopes}
            selected={form.scopes}
            onChange={(scopes) => change({ scopes })}
          />
          <Group>
            <Button
              type="submit"
              disabled={form.name.trim() === '' || form.scopes.length === 0}
              loading={create.isPending}
            >
              Create federated identity
            </Button>
          </Group>
        </Stack>
      </form>
      <ErrorAlert error={create.error} />
    </SettingsCard>
  )
}

function RepositoryFields({ form, change }: { form: IdentityForm; change(changed: Partial<IdentityForm>): void }) {
  return (
    <Group align="flex-start" gap="sm">
      <TextInput
        label={form.provider === 'github' ? 'Repository' : 'Path of the project'}
        placeholder="acme/product"
        required
        maxLength={300}
        value={form.repository}
        onChange={(event) => change({ repository: event.currentTarget.value })}
        style={{ flex: '2 1 220px' }}
      />
      <TextInput
        label="Branch"
        required
        maxLength={300}
        value={form.branch}
        onChange={(event) => change({ branch: event.currentTarget.value })}
        style={{ flex: '1 1 140px' }}
      />
      <TextInput
        label="Environment"
        placeholder="Any"
        maxLength={300}
        value={form.environment}
        onChange={(event) => change({ environment: event.currentTarget.value })}
        style={{ flex: '1 1 140px' }}
      />
    </Group>
  )
}
