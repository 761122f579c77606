import { Alert, Button, Checkbox, CopyButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'

export function NewSecret({ secret, done }: { secret: string; done(): void }) {
  const [isKept, setIsKept] = useState(false)
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        This is the only time it is shown. Only a fingerprint of it is stored: a lost key is replaced, not found.
      </Alert>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label="The key"
          value={secret}
          readOnly
          flex={1}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant={copied ? 'default' : 'filled'}
              leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
              onClick={() => {
                copy()
                setIsKept(true)
              }}
              data-autofocus
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" c="dimmed">
        The examples on this page read it from the environment: <code>export COLOPHON_API_KEY=…</code>
      </Text>
      <Checkbox
        label="I have it in a safe place"
        checked={isKept}
        onChange={(event) => setIsKept(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button onClick={done} disabled={!isKept}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
