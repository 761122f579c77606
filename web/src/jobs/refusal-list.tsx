import { Code, List } from '@mantine/core'
import type { Refusal } from './refusals.ts'

export function RefusalList({ refusals }: { refusals: readonly Refusal[] }) {
  return (
    <List size="sm" spacing={4} style={{ overflowWrap: 'anywhere' }}>
      {refusals.map(({ location, reason, found }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and can contain the same text twice
        <List.Item key={index}>
          {location !== null && (
            <>
              <Code>{location}</Code>:{' '}
            </>
          )}
          {reason}
          {found !== null && (
            <>
              : <Code>{found}</Code>
            </>
          )}
        </List.Item>
      ))}
    </List>
  )
}
