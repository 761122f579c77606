import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { createPasskey, supportsPasskeys } from './passkeys.ts'
import { useReauthentication } from './reauthentication.tsx'
import { RecoveryCodes } from './set-up-authenticator.tsx'

/** With the first second factor come recovery codes, which are shown only here. */
export function AddPasskey({ onAdded }: { onAdded(): unknown }) {
  const withReauthentication = useReauthentication()
  const [name, setName] = useState('')
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>([])
  const add = useMutation({
    mutationFn: async () => {
      const credential = await createPasskey(await withReauthentication(() => client.session.startPasskey()))
      return client.session.addPasskey({ name: name.trim(), credential })
    },
    onSuccess: async (added) => {
      setName('')
      setRecoveryCodes(added.recoveryCodes)
      if (added.recoveryCodes.length === 0) await onAdded()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate()
  }
  const finish = () => {
    setRecoveryCodes([])
    return onAdded()
  }
  if (!supportsPasskeys())
    return <Text size="sm">This browser cannot create passkeys. Update it, or open Colophon over https://.</Text>
  if (recoveryCodes.length > 0)
    return (
      <Stack>
        <RecoveryCodes codes={recoveryCodes} />
        <Button onClick={finish}>I have saved the recovery codes</Button>
      </Stack>
    )
  return (
    <form onSubmit={submit}>
      <Stack align="stretch">
        <TextInput
          label="Name of the new passkey"
          description="Where it is stored, for example “Laptop” or “Password manager”"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorAlert error={add.error} title="The passkey was not added" />
        <Button type="submit" loading={add.isPending} style={{ alignSelf: 'flex-start' }}>
          Add a passkey
        </Button>
      </Stack>
    </form>
  )
}
