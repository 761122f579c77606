import { Loader } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { AcceptInvitation } from './accept-invitation.tsx'
import { parseLinkToken } from './link-token.ts'
import { SignedOutPage } from './signed-out-page.tsx'

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
      <SignedOutPage title="Invitation" lead="The link is incomplete.">
        Copy the whole link, including the part after the # sign, into the address bar, or ask for a new one.
      </SignedOutPage>
    )
  if (isPending)
    return (
      <SignedOutPage title="Invitation">
        <Loader aria-label="Loading the invitation" />
      </SignedOutPage>
    )
  if (!invitation)
    return (
      <SignedOutPage title="Invitation">
        <Failure error={error} title="This invitation cannot be used" />
        Invitations expire, and each one works once. Ask an owner of the project for a new one.
      </SignedOutPage>
    )
  return <AcceptInvitation token={token} invitation={invitation} />
}
