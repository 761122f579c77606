import type { AgentJob } from '@colophon/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleMinus, IconCircleX } from '@tabler/icons-react'

const checkStatuses = {
  passed: { Icon: IconCircleCheck, color: 'var(--good)', label: 'passed' },
  failed: { Icon: IconCircleX, color: 'var(--bad)', label: 'failed' },
  not_checked: { Icon: IconCircleMinus, color: 'var(--mantine-color-dimmed)', label: 'not checked' },
}

/** The findings of a check that is `not_checked` are the reason. A note names pages that were left out of a check. */
export function DocsChecks({ checks }: { checks: AgentJob['checks'] }) {
  return (
    <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {checks.map(({ name, status, findings, note }) => {
        const { Icon, color, label } = checkStatuses[status]
        return (
          <li key={name}>
            <Group gap={6} wrap="nowrap">
              <Icon size={16} color={color} aria-hidden />
              <Text size="sm">
                {name}: {label}
              </Text>
            </Group>
            {status === 'failed' && (
              <Stack gap={2} component="ul" my={4} pl={38} style={{ overflowWrap: 'anywhere' }}>
                {findings.map((finding) => (
                  <Text key={finding} size="xs" component="li">
                    {finding}
                  </Text>
                ))}
              </Stack>
            )}
            {status === 'not_checked' && findings.map((reason) => <CheckNote key={reason} text={reason} />)}
            {note !== undefined && <CheckNote text={note} />}
          </li>
        )
      })}
    </Stack>
  )
}

const CheckNote = ({ text }: { text: string }) => (
  <Text size="xs" c="dimmed" pl={22} style={{ overflowWrap: 'anywhere' }}>
    {text}
  </Text>
)
