import { Alert } from '@mantine/core'

/** The session's cookie is for https only (browsers make an exception for localhost): elsewhere nobody gets in, and it looks like a wrong password. */
export function InsecureNotice() {
  if (window.isSecureContext) return null
  return (
    <Alert color="yellow" title="This page did not come over https">
      Your browser will not keep you signed in here. Open Colophon by its https:// address, or on localhost.
    </Alert>
  )
}
