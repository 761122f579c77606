import { Loader } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { AcceptInvitation } from './accept-invitation.tsx'
import { parseLinkToken } from './link-token.ts'
import { SignedOutLayout } from './signed-out-layout.tsx'

const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => client.invitations.lookUp({ token }, { signal }),
    staleTime: Number.POSITIVE_INFINITY, // an accepted invitation cannot be fetched again, and the page is still open
  })

export function InvitationPage() {
  const token = parseLinkToken(useLocation().hash)
  const { data: invitation, error, isPending } = useQuery({ ...invitationQuery(token), enabled: token !== '' })
  if (token === '')
    return (
      <SignedOutLayout title="Invitation" lead="The link is incomplete.">
        Copy the whole link, including the part after the # sign, into the address bar, or ask for a new one.
      </SignedOutLayout>
    )
  if (isPending)
    return (
      <SignedOutLayout title="Invitation">
        <Loader aria-label="Loading the invitation" />
      </SignedOutLayout>
    )
  if (!invitation)
    return (
      <SignedOutLayout title="Invitation">
        <ErrorAlert error={error} title="This invitation cannot be used" />
        Invitations expire, and each one works once. Ask an owner of the project for a new one.
      </SignedOutLayout>
    )
  return <AcceptInvitation token={token} invitation={invitation} />
}
