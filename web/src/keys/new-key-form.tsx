import type { CreateKeyResponse } from '@colophon/sdk'
import { Button, Checkbox, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { browserZone, dayOf } from '../analytics/zoned-days.ts'
import { client } from '../app/client.ts'
import { useFreshSession } from '../people/fresh-session.tsx'
import { Failure } from '../shown/failure.tsx'
import { type Expiry, expiresAtOf, expiries } from './expiry.ts'
import { keysQuery } from './keys.ts'
import { networksIn } from './networks.ts'
import { allScopes, type Scope, scopeWords } from './scope-words.ts'

interface Props {
  projectId: string
  done(made: CreateKeyResponse): void
  giveUp(): void
}

export function NewKeyForm({ projectId, done, giveUp }: Props) {
  const fresh = useFreshSession()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly Scope[]>([
    'agent:read',
    'agent:write',
    'analytics:read',
    'analytics:write',
  ])
  const [expiry, setExpiry] = useState<Expiry>('90')
  const [date, setDate] = useState('')
  const [networks, setNetworks] = useState('')
  const make = useMutation({
    mutationFn: () =>
      fresh(() =>
        client.keys.create(projectId, {
          name: name.trim(),
          scopes: [...scopes],
          expiresAt: expiresAtOf(expiry, date, new Date()),
          allowedNetworks: networksIn(networks),
        }),
      ),
    onSuccess: async (made) => {
      done(made) // first of all: the secret is in this answer and nowhere else
      await queryClient.invalidateQueries({ queryKey: keysQuery(projectId).queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const isAdmin = scopes.length === allScopes.length
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Of what will use it: whoever revokes it one day wants to know who will notice."
          placeholder="CI of the handbook"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox.Group
          label="It may"
          required
          value={[...scopes]}
          onChange={(chosen) => setScopes(allScopes.filter((scope) => chosen.includes(scope)))}
        >
          <Stack gap={8} mt={6}>
            {scopeWords.map(({ scope, words }) => (
              <Checkbox
                key={scope}
                value={scope}
                label={
                  <>
                    {words}{' '}
                    <Text span size="xs" c="dimmed">
                      {scope}
                    </Text>
                  </>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {isAdmin ? 'An admin key: it may do all that an owner may.' : 'Give it what it needs, and no more.'}
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={() => setScopes(isAdmin ? [] : allScopes)}>
            {isAdmin ? 'Take all away' : 'Make it an admin key'}
          </Button>
        </Group>
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <NativeSelect
            label="It lasts"
            data={expiries}
            value={expiry}
            onChange={(event) => setExpiry(event.currentTarget.value as Expiry)}
          />
          {expiry === 'date' && (
            <TextInput
              label="Last day"
              type="date"
              required
              min={dayOf(new Date(), browserZone())}
              value={date}
              onChange={(event) => setDate(event.currentTarget.value)}
            />
          )}
        </Group>
        <Textarea
          label="Only from these networks"
          description="One a line, like 203.0.113.0/24. Left empty: from everywhere."
          autosize
          maxRows={6}
          value={networks}
          onChange={(event) => setNetworks(event.currentTarget.value)}
        />
        <Failure error={make.error} title="The key was not made" />
        <Group justify="flex-end">
          <Button variant="default" onClick={giveUp}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending} disabled={scopes.length === 0 || name.trim() === ''}>
            Make the key
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
