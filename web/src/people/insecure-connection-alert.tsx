import { Alert } from '@mantine/core'

/** The session cookie is only sent over HTTPS, except on localhost. Over HTTP no one can sign in, and it looks like a wrong password. */
export function InsecureConnectionAlert() {
  if (window.isSecureContext) return null
  return (
    <Alert color="yellow" title="This connection is not secure">
      Your browser cannot keep you signed in over http://. Open Colophon over https://, or on localhost.
    </Alert>
  )
}
