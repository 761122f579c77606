import { Checkbox, Stack, Text } from '@mantine/core'

interface Props {
  label: string
  offered: readonly { scope: string; description: string }[]
  selected: readonly string[]
  onChange(selected: string[]): void
}

/** What an API key may do. */
export function ScopeCheckboxes({ label, offered, selected, onChange }: Props) {
  return (
    <Checkbox.Group label={label} required value={[...selected]} onChange={onChange}>
      <Stack gap={8} mt={6}>
        {offered.map(({ scope, description }) => (
          <Checkbox
            key={scope}
            value={scope}
            label={
              <>
                {description}{' '}
                <Text span size="xs" c="dimmed">
                  {scope}
                </Text>
              </>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
