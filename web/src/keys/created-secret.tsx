import { Alert, Button, Checkbox, CopyButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'

export function CreatedSecret({ secret, onDone }: { secret: string; onDone(): void }) {
  const [isStored, setIsStored] = useState(false)
  return (
    <Stack>
      <Alert color="yellow" title="Copy this key now">
        This is the only time it is shown. Colophon stores only a hash of it, so a lost key cannot be recovered.
      </Alert>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label="API key"
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
                setIsStored(true)
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
        label="I stored this key in a safe place"
        checked={isStored}
        onChange={(event) => setIsStored(event.currentTarget.checked)}
      />
      <Group justify="flex-end">
        <Button onClick={onDone} disabled={!isStored}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
