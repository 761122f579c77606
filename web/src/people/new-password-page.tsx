import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { useEnter } from './enter.ts'
import { FrontDoor } from './front-door.tsx'
import { InsecureNotice } from './insecure-notice.tsx'
import { tokenIn } from './link-token.ts'
import { NewPassword } from './new-password.tsx'

/** For whoever forgot theirs and has a link from the operator. */
export function NewPasswordPage() {
  const token = tokenIn(useLocation().hash)
  const enter = useEnter()
  const [newPassword, setNewPassword] = useState('')
  const set = useMutation({
    mutationFn: () => client.session.resetPassword({ token, newPassword }),
    onSuccess: (session) => enter(session),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set.mutate()
  }
  return (
    <FrontDoor title="New password" lead="It ends every session of yours, and signs you in.">
      <InsecureNotice />
      {token === '' ? (
        'The link is not whole. Copy all of it, with what follows the # sign, into the address line.'
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <NewPassword label="New password" value={newPassword} onChange={setNewPassword} />
            <Failure error={set.error} title="The password was not set" />
            <Button type="submit" fullWidth loading={set.isPending}>
              Set the password
            </Button>
          </Stack>
        </form>
      )}
    </FrontDoor>
  )
}
