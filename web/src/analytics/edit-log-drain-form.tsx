import type { LogDrain } from '@colophon/sdk'
import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { notifySaved } from '../settings/notify-saved.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import type { LogDrainHost } from './log-drain-hosts.ts'
import { logDrainsQuery } from './queries.ts'

type LogDrainChanges = Partial<Pick<LogDrain, 'host' | 'verification'>>

interface Props {
  projectId: string
  drain: LogDrain
  /** What can be entered for the host of the drain. */
  options: Pick<LogDrainHost, 'verification' | 'hasHosts'>
}

export function EditLogDrainForm({ projectId, drain, options: { verification: check, hasHosts } }: Props) {
  const queryClient = useQueryClient()
  const [host, setHost] = useState(drain.host ?? '')
  const [verification, setVerification] = useState(drain.verification ?? '')
  const save = useMutation({
    mutationFn: (changes: LogDrainChanges) => client.views.changeLogDrain(projectId, drain.id, changes),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: logDrainsQuery(projectId).queryKey })
      notifySaved('The log drain has been changed.')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // Only what was changed here, so that a form that was open for long does not undo the changes of others.
    const changes: LogDrainChanges = {}
    const entered = { host: host.trim() || null, verification: verification.trim() || null }
    if (entered.host !== drain.host) changes.host = entered.host
    if (entered.verification !== drain.verification) changes.verification = entered.verification
    if (Object.keys(changes).length > 0) save.mutate(changes)
  }
  if (!hasHosts && !check) return null
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        {check && (
          <TextInput
            label={check.label}
            description={check.description}
            maxLength={200}
            value={verification}
            onChange={(event) => setVerification(event.currentTarget.value)}
          />
        )}
        {hasHosts && <HostInput value={host} onChange={setHost} />}
        <Button type="submit" variant="default" loading={save.isPending}>
          Save
        </Button>
      </Group>
      <ErrorAlert error={save.error} />
    </form>
  )
}

export function HostInput({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <TextInput
      label="Host of your docs (optional)"
      placeholder="docs.example.com"
      description="Requests for other hosts are ignored."
      maxLength={253}
      pattern="[^\s\/:]+"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
