import type { CreatedLogDrain, LogDrain } from '@colophon/sdk'
import { Alert, Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { CopyLine } from '../shown/copy-line.tsx'
import { DocsLink } from '../shown/docs-link.tsx'
import { HostInput } from './edit-log-drain-form.tsx'
import { labelOf, logDrainHosts, valuesToEnter } from './log-drain-hosts.ts'
import { LogDrainSteps } from './log-drain-steps.tsx'

export type NewLogDrain = Pick<LogDrain, 'name' | 'format' | 'host'>

const formats = (Object.keys(logDrainHosts) as LogDrain['format'][]).map((value) => ({ value, label: labelOf(value) }))
/** Not a format: it has no logs. */
const githubPages = { value: 'github-pages', label: 'GitHub Pages' }

export function NewLogDrainForm({ create, isPending }: { create(drain: NewLogDrain): void; isPending: boolean }) {
  const [selected, setSelected] = useState<string>('vercel')
  const [host, setHost] = useState('')
  const { value: format } = formats.find(({ value }) => value === selected) ?? {}
  const hasHosts = format !== undefined && logDrainHosts[format]?.hasHosts === true
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (format === undefined) return
    const trimmed = hasHosts ? host.trim() : ''
    create({ name: trimmed || labelOf(format), format, host: trimmed || null })
    setHost('')
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Where the logs come from"
          data={[...formats, githubPages]}
          value={selected}
          onChange={(event) => setSelected(event.currentTarget.value)}
        />
        {hasHosts && <HostInput value={host} onChange={setHost} />}
        {format !== undefined && (
          <Button type="submit" loading={isPending}>
            Add log drain
          </Button>
        )}
      </Group>
      <Text size="sm" mt="xs">
        {format === undefined ? (
          <>
            GitHub Pages has no logs. To count AI clients, put a CDN in front of it, for example Cloudflare with a
            Worker.{' '}
            <DocsLink page="views" inherit>
              Learn about server sources
            </DocsLink>
          </>
        ) : (
          'Use one server source for each site: a request that two of them report is counted twice.'
        )}
      </Text>
    </form>
  )
}

export function CreatedLogDrainAlert({ created: { logDrain, secret } }: { created: CreatedLogDrain }) {
  return (
    <Alert color="green" title={`${logDrain.name} was created`} role="status">
      <Stack gap="sm">
        <Text size="sm">
          Copy the secret now. This is the only time it is shown. Then, at {labelOf(logDrain.format)}:
        </Text>
        <LogDrainSteps format={logDrain.format} />
        {valuesToEnter(logDrain, secret).map(({ label, value }) => (
          <CopyLine key={label} label={label} value={value} />
        ))}
      </Stack>
    </Alert>
  )
}
