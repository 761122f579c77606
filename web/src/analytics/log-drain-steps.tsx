import type { LogDrain } from '@colophon/sdk'
import { List } from '@mantine/core'
import { CopyLine } from '../shown/copy-line.tsx'
import { fastlyLogFormat, logDrainHosts } from './log-drain-hosts.ts'

/** What to do at the host. */
export function LogDrainSteps({ format }: { format: LogDrain['format'] }) {
  return (
    <>
      <List size="sm" type="ordered">
        {logDrainHosts[format]?.steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
      {format === 'fastly' && <CopyLine label="Log format" value={fastlyLogFormat} />}
    </>
  )
}
